import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Key {
  key: string;
  what: string;
  run: (event: KeyboardEvent) => void;
}

interface KeyHolder {
  keys: readonly Key[];
}

/** Who listens now, the innermost last. */
const holders = signal<readonly KeyHolder[]>([]);
export const helpIsOpen = signal(false);

/** These keys while the caller is on the page; those of the innermost caller win. */
export function useKeys(keys: readonly Key[]): void {
  const holder = useRef<KeyHolder>({ keys }).current;
  holder.keys = keys;
  // Before it is painted: who types fast presses the next key at once.
  useLayoutEffect(() => {
    holders.value = [...holders.value, holder];
    return () => void (holders.value = holders.value.filter((each) => each !== holder));
  }, [holder]);
}

/** Who chooses a row by keys has left the button that was clicked before: Enter is for the row. */
export function leaveButton(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** All keys that mean something now, for the page that lists them. */
export function currentKeys(): readonly (readonly Key[])[] {
  return holders.value.map(({ keys }) => keys);
}

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    const { target } = event;
    if (target instanceof HTMLElement && target.matches('input:not([type=checkbox], [type=range]), textarea, select')) {
      if (event.key === 'Escape') target.blur();
      return;
    }
    if (target instanceof Element && target.matches('[type=range]') && /^(?:Arrow|Page|Home|End)/.test(event.key)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    // A button or a link has a use of its own for these.
    const isPressing = event.key === 'Enter' || event.key === ' ';
    if (isPressing && target instanceof Element && target.closest('button, a, summary, [type=checkbox]') !== null) return;
    for (const keys of currentKeys().toReversed()) {
      const found = keys.find(({ key }) => key === event.key);
      if (found === undefined) continue;
      event.preventDefault();
      found.run(event);
      return;
    }
  });
}
