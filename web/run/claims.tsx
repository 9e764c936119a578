import { useLayoutEffect, useRef } from 'preact/hooks';
import type { RunRecord } from '../api.ts';
import { Markdown } from '../parts/markdown.tsx';
import { oneLine } from '../parts/plain-text.ts';
import { pathWith } from '../route.ts';

type Claim = NonNullable<NonNullable<RunRecord['outcome']>['claims']>[number];
type Verdict = Claim['verdict'];

/** How a verdict looks; what cannot be checked is not marked. */
const marks: Partial<Record<Verdict, { sign: string; words: string; tone: string }>> = {
  contradicted: { sign: '✗', words: 'contradicted', tone: 'text-bad' },
  not_shown: { sign: '?', words: 'not shown', tone: 'text-warn' },
  supported: { sign: '✓', words: 'supported', tone: 'text-good' },
};

const eventOf = ({ evidence }: Claim): number | undefined =>
  evidence.find(({ sequence }) => sequence !== undefined)?.sequence;
const addressOf = (sequence: number): string => `${pathWith({ view: 'events' })}#e${sequence}`;

/** The answer, with every sentence that claims something marked; a click on one leads to the event that shows it. */
export function MarkedAnswer({ text, claims = [] }: { text: string; claims?: readonly Claim[] | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  const ranges = useRef<(readonly [Claim, Range])[]>([]);
  useLayoutEffect(() => {
    if (box.current === null || typeof Highlight === 'undefined') return;
    ranges.current = rangesOf(box.current, claims);
    for (const verdict of Object.keys(marks) as Verdict[]) {
      const own = ranges.current.flatMap(([claim, range]) => (claim.verdict === verdict ? [range] : []));
      CSS.highlights.set(`claim-${verdict}`, new Highlight(...own));
    }
    return () => {
      for (const verdict of Object.keys(marks)) CSS.highlights.delete(`claim-${verdict}`);
    };
  }, [text, claims]);
  function open(event: MouseEvent): void {
    const place = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    if (place === null || place === undefined || document.getSelection()?.isCollapsed === false) return;
    const hit = ranges.current.find(([, range]) => range.isPointInRange(place.offsetNode, place.offset))?.[0];
    const sequence = hit === undefined ? undefined : eventOf(hit);
    // The list below has the same links, for the keyboard.
    if (sequence !== undefined) list.current?.querySelector<HTMLAnchorElement>(`a[href$="#e${sequence}"]`)?.click();
  }
  const list = useRef<HTMLUListElement>(null);
  const shown = claims.filter(({ verdict }) => marks[verdict] !== undefined);
  return (
    <>
      <div ref={box} onClick={open}>
        <Markdown text={text} />
      </div>
      {shown.length === 0 ? null : (
        <details class="claims" open={shown.some(({ verdict }) => verdict === 'contradicted')}>
          <summary>What it claims: {inNumbers(shown)}</summary>
          <ul class="trouble" ref={list}>
            {shown.map((claim) => (
              <li key={`${claim.start} ${claim.kind} ${claim.quote}`}>
                <OneClaim claim={claim} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function OneClaim({ claim }: { claim: Claim }) {
  const mark = marks[claim.verdict];
  const sequence = eventOf(claim);
  const words = (
    <>
      <span class={mark?.tone}>
        {mark?.sign} <span class="sr-only">{mark?.words}: </span>
      </span>
      <q>{oneLine(claim.quote, 300)}</q>{' '}
      <span class="muted">{oneLine(claim.evidence.map(({ why }) => why).join('; ') || (mark?.words ?? ''), 400)}</span>
    </>
  );
  return sequence === undefined ? words : <a href={addressOf(sequence)}>{words}</a>;
}

function inNumbers(claims: readonly Claim[]): string {
  return (Object.keys(marks) as Verdict[])
    .map((verdict) => [claims.filter((each) => each.verdict === verdict).length, marks[verdict]?.words] as const)
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
    .join(', ');
}

/** What Markdown takes away, or puts elsewhere, is not compared. */
const between = /[\s`*_#|~[\]\\>-]/;

/** Where the quotes stand in the text on the page, in their order. */
function rangesOf(box: HTMLElement, claims: readonly Claim[]): (readonly [Claim, Range])[] {
  const letters: { node: Text; offset: number }[] = [];
  let whole = '';
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) {
    const node = walker.currentNode as Text;
    for (let offset = 0; offset < node.data.length; offset += 1) {
      const letter = node.data[offset] ?? '';
      if (between.test(letter)) continue;
      whole += letter;
      letters.push({ node, offset });
    }
  }
  let from = 0;
  return claims.flatMap((claim) => {
    const quote = [...claim.quote.replaceAll(/\]\([^)]{0,600}\)/g, '')]
      .filter((letter) => !between.test(letter))
      .join('');
    const at = quote === '' ? -1 : whole.indexOf(quote, from);
    const [first, last] = [letters[at], letters[at + quote.length - 1]];
    if (first === undefined || last === undefined) return [];
    from = at;
    const range = document.createRange();
    range.setStart(first.node, first.offset);
    range.setEnd(last.node, last.offset + 1);
    return [[claim, range] as const];
  });
}
