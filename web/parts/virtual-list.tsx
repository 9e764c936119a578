import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Fenwick } from './fenwick.ts';

export interface ListHandle {
  scrollTo(index: number): void;
  scrollToEnd(): void;
  /** The first row that is fully visible. */
  firstVisible(): number;
}

interface Properties {
  count: number;
  /** Changes with the list; the first `kept` rows are the same as before. */
  identity: unknown;
  kept?: number;
  estimate: number;
  label: string;
  /** The height of what stays fixed above the list. */
  inset: number;
  /** The caller controls the scroll position. */
  isHeld?: boolean;
  render: (index: number) => ComponentChildren;
  handle?: RefObject<ListHandle> | { current: ListHandle | null };
  /** Which rows are in the document. */
  onRange?: (from: number, to: number) => void;
}

const around = 400;

/** Rows of any height, scrolled with the page; only those near the viewport are in the document. */
export function VirtualList({
  count,
  identity,
  kept = 0,
  estimate,
  label,
  inset,
  isHeld = false,
  render,
  handle,
  onRange,
}: Properties) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const heights = useRef(new Fenwick());
  const [range, setRange] = useState<readonly [from: number, to: number]>([0, Math.min(count, 30)]);
  const [, redraw] = useState(0);
  /** Where a jump leads to, until the rows there have their true heights. */
  const target = useRef<{ index: number; isEnd: boolean; tries: number } | undefined>(undefined);

  const tree = heights.current;
  const known = useRef(identity);
  if (known.current !== identity) tree.cut(kept);
  known.current = identity;
  tree.cut(count);
  while (tree.length < count) tree.push(estimate);

  function topOfList(): number {
    return (box.current?.getBoundingClientRect().top ?? 0) + scrollY;
  }

  function look(): void {
    const top = scrollY - topOfList();
    const from = Math.max(0, tree.at(Math.max(0, top - around)));
    const to = Math.min(tree.length, tree.at(Math.max(0, top + innerHeight + around)) + 1);
    setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]));
  }

  function jump({ index, isEnd }: { index: number; isEnd: boolean }): void {
    const top = isEnd ? document.documentElement.scrollHeight : topOfList() + tree.before(index) - inset - 8;
    scrollTo({ top, behavior: 'instant' });
  }
  function aimAt(index: number, isEnd: boolean): void {
    target.current = { index, isEnd, tries: 6 };
    jump(target.current);
    look();
    redraw((value) => value + 1);
  }

  useEffect(() => {
    let frame = 0;
    const onMove = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        look();
      });
    };
    addEventListener('scroll', onMove, { passive: true });
    addEventListener('resize', onMove, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', onMove);
      removeEventListener('resize', onMove);
    };
  });

  // After every render the true heights are known; rows above the viewport must not move those in it.
  useLayoutEffect(() => {
    const rows = inner.current?.children ?? [];
    const top = scrollY - topOfList();
    const anchor = tree.at(Math.max(0, top + inset));
    const before = tree.before(anchor);
    let isChanged = false;
    for (const row of rows) {
      const index = Number((row as HTMLElement).dataset['index']);
      const height = (row as HTMLElement).offsetHeight;
      if (height === tree.get(index) || index >= tree.length) continue;
      tree.set(index, height);
      isChanged = true;
    }
    const moved = tree.before(anchor) - before;
    const aim = target.current;
    if (aim !== undefined) {
      jump(aim);
      aim.tries -= 1;
      if (aim.tries <= 0 || !isChanged) target.current = undefined;
      if (isChanged) redraw((value) => value + 1);
    } else if (isChanged) {
      if (moved !== 0 && top > 0 && !isHeld) scrollBy({ top: moved, behavior: 'instant' });
      redraw((value) => value + 1);
    }
    look();
  });

  useEffect(() => {
    const seen = new ResizeObserver(() => redraw((value) => value + 1));
    if (inner.current !== null) seen.observe(inner.current);
    return () => seen.disconnect();
  }, []);

  if (handle !== undefined)
    (handle as { current: ListHandle | null }).current = {
      scrollTo: (index) => aimAt(index, false),
      scrollToEnd: () => aimAt(count - 1, true),
      firstVisible: () => tree.at(Math.max(0, scrollY - topOfList() + inset)),
    };

  const [from, to] = [Math.min(range[0], count), Math.min(range[1], count)];
  if (to > from) onRange?.(from, to);
  const rows = [];
  for (let index = from; index < to; index += 1)
    rows.push(
      <div key={index} role="listitem" data-index={index} aria-setsize={count} aria-posinset={index + 1}>
        {render(index)}
      </div>,
    );
  return (
    <div ref={box} class="virtual" style={{ height: `${tree.total}px` }}>
      <div
        ref={inner}
        role="list"
        aria-label={label}
        class="virtual-rows"
        style={{ transform: `translateY(${tree.before(from)}px)` }}
      >
        {rows}
      </div>
    </div>
  );
}
