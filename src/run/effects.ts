import type { EventOf, EventRecord } from '../events/event.ts';
import { looking } from '../outcome/denials.ts';
import { cutAfter } from '../redact/cut.ts';
import type { Json } from '../json/json.ts';

/** Programs that only look, whatever their arguments; with arguments that redirect or chain, nothing is sure. */
const lookers = new Set(
  'ls cat head tail wc pwd rg grep egrep fgrep echo which stat nl cut whoami basename dirname realpath true'.split(' '),
);
const gitLookers = new Set('status log diff show blame rev-parse ls-files'.split(' '));
const mostOpen = 1000;

/**
 * What an agent did that cannot be undone: a command may have done anything, anywhere, and files outside a private copy are the user's.
 * What is not known counts as done.
 */
export class Effects {
  readonly #isCopy: boolean;
  readonly #open = new Map<string, string>();
  #first: string | undefined;

  constructor(isCopy: boolean) {
    this.#isCopy = isCopy;
  }

  /** The first of them, in words; undefined: there was none. */
  get first(): string | undefined {
    return this.#first ?? this.#open.values().next().value;
  }

  hear(record: EventRecord): void {
    if (this.#first !== undefined) return;
    if (record.type === 'file.edited') {
      if (!this.#isCopy) this.#first = `it ${record.operation} ${record.path}`;
    } else if (record.type === 'item.started') {
      // What a sub-agent does is told: it is judged by that.
      if (record.parent_item_id !== undefined) this.#open.delete(record.parent_item_id);
      const what = this.#effectOf(record);
      if (what === undefined) return;
      this.#open.set(record.item_id, what);
      if (this.#open.size > mostOpen) this.#first = what;
    } else if (record.type === 'item.completed') {
      const what = this.#open.get(record.item_id);
      this.#open.delete(record.item_id);
      if (record.status !== 'denied') this.#first = what;
    }
  }

  #effectOf({ kind, name, args }: EventOf<'item.started'>): string | undefined {
    if (looking.has(kind) || (kind === 'file_edit' && this.#isCopy)) return undefined;
    const command = commandIn(args);
    if (command === undefined) return `it called ${name}`;
    return onlyLooks(command) ? undefined : `it ran ${cutAfter(command, 80)}`;
  }
}

function commandIn(args: Json): string | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined;
  const command = args['command'] ?? args['cmd'];
  if (typeof command === 'string') return command;
  return Array.isArray(command) && command.every((word) => typeof word === 'string') ? command.join(' ') : undefined;
}

const shell = /^(?:\/usr)?(?:\/bin\/)?(?:ba|z|da)?sh -l?c /;
const quoted = /^(?:'[^']*'|"[^"]*")$/;
/** Options of these programs that write a file or start another program. */
const acting = /^--(?:output|pre|hostname-bin)\b/;
const unsure = /[><|;&$`(){}\\\n*?~!]/;

export function onlyLooks(given: string): boolean {
  const inner = given.trim().replace(shell, '').trim();
  const command = quoted.test(inner) ? inner.slice(1, -1).trim() : inner;
  if (command === '' || unsure.test(command)) return false;
  const [program = '', verb = '', ...rest] = command.split(/\s+/);
  if (program === 'git')
    return gitLookers.has(verb) && !rest.some((word) => /^--(?:output|ext-diff|textconv|exec)/.test(word));
  return lookers.has(program) && ![verb, ...rest].some((word) => acting.test(word));
}
