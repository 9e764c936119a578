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

/** The active key holders, innermost last. */
const holders = signal<readonly KeyHolder[]>([]);
export const helpIsOpen = signal(false);

/** Binds these keys while the caller is on the page; those of the innermost caller win. */
export function useKeys(keys: readonly Key[]): void {
  const holder = useRef<KeyHolder>({ keys }).current;
  holder.keys = keys;
  // Before it is painted: a fast typist presses the next key at once.
  useLayoutEffect(() => {
    holders.value = [...holders.value, holder];
    return () => void (holders.value = holders.value.filter((each) => each !== holder));
  }, [holder]);
}

/** Takes the focus off a button that was clicked before: once a row is chosen by key, Enter is for the row. */
export function leaveButton(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** All keys that are bound now, for the help dialog. */
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
    if (target instanceof Element && target.matches('[type=range]') && /^(?:Arrow|Page|Home|End)/.test(event.key))
      return;
    if (document.querySelector('dialog[open]') !== null) return;
    // Buttons and links use these keys themselves.
    const isPressing = event.key === 'Enter' || event.key === ' ';
    if (isPressing && target instanceof Element && target.closest('button, a, summary, [type=checkbox]') !== null)
      return;
    for (const keys of currentKeys().toReversed()) {
      const found = keys.find(({ key }) => key === event.key);
      if (found === undefined) continue;
      event.preventDefault();
      found.run(event);
      return;
    }
  });
}
