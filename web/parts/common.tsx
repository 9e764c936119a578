import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { address, go, withQuery } from '../route.ts';
import { currentKeys, helpIsOpen } from './keys.ts';
import { source } from './source.ts';
import type { State } from './words.ts';

/** The current time, for figures that count up on the page. */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

const shapes: Readonly<Record<State, string>> = { running: '◐', good: '✓', bad: '✕', warn: '!', idle: '–' };

/** A state by colour and shape; a screen reader reads the words beside it. */
export function Dot({ state }: { state: State }) {
  return (
    <span class={`dot dot-${state}`} aria-hidden="true">
      {shapes[state]}
    </span>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export function Command({ text }: { text: string }) {
  return (
    <p class="command">
      <code>{text}</code>
      <button type="button" class="quiet" onClick={() => void copy(text, 'Copied')}>
        Copy
      </button>
    </p>
  );
}

/** A request to the server: its answer or error. Calling `again` never discards an answer that is on its way. */
export function useAnswer<Answer>(
  ask: () => Promise<Answer>,
  keys: readonly unknown[],
): { answer?: Answer; error?: Error; again: () => void } {
  const [state, setState] = useState<{ answer?: Answer; error?: Error }>({});
  const refresh = useRef(() => {});
  useEffect(() => {
    let [isOld, isAsking, isWanted] = [false, false, true];
    async function askWhileWanted(): Promise<void> {
      if (isAsking) return;
      isAsking = true;
      while (isWanted && !isOld) {
        isWanted = false;
        try {
          const answer = await ask();
          if (!isOld) setState({ answer });
        } catch (error) {
          if (!isOld)
            setState((before) => ({ ...before, error: error instanceof Error ? error : new Error(String(error)) }));
        }
      }
      isAsking = false;
    }
    refresh.current = () => {
      isWanted = true;
      void askWhileWanted();
    };
    void askWhileWanted();
    return () => void (isOld = true);
  }, keys);
  return { ...state, again: () => refresh.current() };
}

/** Runs it soon after a change, even if changes never stop. */
export function useSoon(run: () => void, ms: number, changes: readonly unknown[]): void {
  const latest = useRef(run);
  latest.current = run;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, ms);
  }, changes);
  useEffect(() => () => clearTimeout(timer.current), []);
}

/** A text field whose value is put into the address shortly after it was typed. */
export function useAddressText(name: string): [text: string, setText: (text: string) => void] {
  const value = address.value.searchParams.get(name) ?? '';
  const [text, setText] = useState(value);
  useEffect(() => {
    // After a space the user is still typing.
    if (text.trim() !== value) setText(value);
  }, [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => go(withQuery({ [name]: text.trim() }), true), 350);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}

export function Problem({ error, again }: { error: Error; again?: () => void }) {
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <main class="problem">
      <h1 class="empty-title">{isGone ? 'Run not found' : 'Something went wrong'}</h1>
      <p role="alert">{error.message}</p>
      {again === undefined ? null : (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
      <p>
        <a href="/">All runs</a>
      </p>
    </main>
  );
}

export const notice = signal('');
let noticeTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows a short message at the edge of the page, which screen readers announce. */
export function say(text: string): void {
  notice.value = text;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => void (notice.value = ''), 4000);
}

export async function copy(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    const box = document.createElement('textarea');
    box.value = text;
    document.body.append(box);
    box.select();
    const isDone = document.execCommand('copy');
    box.remove();
    say(isDone ? done : 'The browser does not allow copying here. Select the text instead.');
  }
}

/** A native modal dialog: focus stays in it, Escape closes it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    box.current?.showModal();
  }, []);
  return (
    <dialog
      ref={box}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === box.current) onClose();
      }}
    >
      <div class="dialog-body">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

export function KeyHelp() {
  if (!helpIsOpen.value) return null;
  const keys = currentKeys().flat();
  return (
    <Dialog title="Keyboard" onClose={() => void (helpIsOpen.value = false)}>
      <dl class="keys">
        {keys.map(({ key, what }) => (
          <div key={key + what}>
            <dt>
              <kbd>{key === ' ' ? 'Space' : key.replace(/^Arrow/, '')}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => void (helpIsOpen.value = false)}>
        Close
      </button>
    </Dialog>
  );
}

interface MenuEntry {
  label: string;
  hint?: string;
  run: () => void;
}

/** A button with a list under it, which has the usual menu keys. */
export function Menu({ label, entries, id }: { label: string; entries: readonly MenuEntry[]; id: string }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const close = (event: Event): void => {
      if (!(event.target instanceof Node) || !(box.current?.parentElement?.contains(event.target) ?? false))
        setOpen(false);
    };
    addEventListener('pointerdown', close);
    return () => removeEventListener('pointerdown', close);
  }, [isOpen]);
  function onKeyDown(event: KeyboardEvent): void {
    const all = [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'Escape' || event.key === 'Tab') {
      setOpen(false);
      button.current?.focus();
    } else if (event.key === 'ArrowDown') all[(at + 1) % all.length]?.focus();
    else if (event.key === 'ArrowUp') all.at(at - 1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  return (
    <div class="menu">
      <button
        ref={button}
        id={id}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {label} <span aria-hidden="true">▾</span>
      </button>
      {isOpen ? (
        <div ref={box} role="menu" aria-label={label} class="menu-list" onKeyDown={onKeyDown}>
          {entries.map((entry) => (
            <button
              key={entry.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                setOpen(false);
                button.current?.focus();
                entry.run();
              }}
            >
              <span>{entry.label}</span>
              {entry.hint === undefined ? null : <small>{entry.hint}</small>}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}

export type TabIcon = 'idle' | 'running' | 'ok' | 'bad' | 'wait';

/** Sets the title and icon of the browser tab. */
export function setTab(title: string, icon: TabIcon): void {
  document.title = title;
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (link !== null && !source.value.isReport) link.href = `/assets/icon-${icon}.svg`;
}
