import { createHash } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventOf, EventRecord } from '../../events/event.ts';
import { Failure, messageOf, systemCode } from '../../failure.ts';
import { makeFolder } from '../../files/make-folder.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { stateFolder } from '../../files/xdg.ts';
import type { Sink } from './sink.ts';
import { jsonOrText } from '../../json/parse.ts';
import { isObject } from '../../json/read.ts';

/** Each inside the previous one. */
const folders = ['.dexter', '.dexter/scratchpad'] as const;

/** `2026-02-22-101500_<12 hex of the query's md5>`; equal queries within one second get a number appended. */
export function scratchpadName(query: string, at: number): string {
  const stamp = new Date(at).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  return `${stamp}_${createHash('md5').update(query).digest('hex').slice(0, 12)}`;
}

/** The working directory; for a run in a private copy, whose checkout must stay unchanged, Runwire's own state folder. */
export function scratchpadHome(cwd: string, isIsolated: boolean, env: Environment): string {
  return isIsolated ? join(stateFolder(env), 'scratchpads') : cwd;
}

/**
 * The log that Dexter keeps of a query: appended line by line, without starts, answer, tokens or end. The file is opened once,
 * before the agent can put a link in its place.
 */
export class Scratchpad implements Sink {
  /** The requested name, or the first free one after it. */
  readonly name: string;
  readonly #path: string;
  #file: number | undefined;
  readonly #onError: (message: string) => void;
  readonly #calls = new Map<string, EventOf<'item.started'>>();
  #begun = false;
  /** Text that is a thought if calls follow it, and the answer if not. */
  #text: string | undefined;

  constructor(cwd: string, name: string, onError: (message: string) => void) {
    this.#onError = onError;
    const pathOf = (each: string): string => join(cwd, folders[1], `${each}.jsonl`);
    try {
      makeFolder(cwd);
      for (const folder of folders) ownFolder(cwd, folder);
      [this.name, this.#file] = openFree(name, pathOf);
    } catch (error) {
      throw new Failure('config', `cannot write ${pathOf(name)}: ${messageOf(error)}`, { cause: error });
    }
    this.#path = pathOf(this.name);
  }

  record(record: EventRecord): void {
    const timestamp = record.timestamp ?? new Date(0).toISOString();
    switch (record.type) {
      case 'thread.started':
        if (!this.#begun) this.#line({ type: 'init', content: record.task ?? '', timestamp });
        this.#begun = true;
        return;
      case 'turn.started':
        this.#text = undefined;
        return;
      case 'text.completed':
        if (record.parent_item_id === undefined && record.text.trim() !== '') this.#text = record.text;
        return;
      case 'item.started':
        if (this.#text !== undefined) this.#line({ type: 'thinking', content: this.#text, timestamp });
        this.#text = undefined;
        this.#calls.set(record.item_id, record);
        return;
      case 'item.completed': {
        const call = this.#calls.get(record.item_id);
        this.#calls.delete(record.item_id);
        // A call that never ended leaves no line.
        if (call === undefined || record.status === 'abandoned') return;
        return this.#line({
          type: 'tool_result',
          timestamp,
          toolName: call.name,
          args: argsOf(call.args),
          result: resultOf(record),
        });
      }
      default:
    }
  }

  async close(): Promise<void> {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #line(line: object): void {
    if (this.#file === undefined) return;
    try {
      writeFileSync(this.#file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      this.#onError(`${this.#path}: ${messageOf(error)}`);
    }
  }
}

/** A link in the repository could send the run's output anywhere. */
function ownFolder(cwd: string, name: string): void {
  const path = join(cwd, name);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) makeFolder(path);
  const stat = lstatSync(path);
  if (stat.isSymbolicLink())
    throw new Error(`${name} is a link, and the scratchpad stays in the working directory; remove it`);
  if (!stat.isDirectory()) throw new Error(`${name} is not a folder; remove it`);
}

const mostNames = 1000;

/** Never touches what already exists, be it another run's file or a link. */
function openFree(name: string, pathOf: (name: string) => string): [name: string, file: number] {
  const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants;
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}-${number}`;
    try {
      return [free, openSync(pathOf(free), O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0o600)];
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || number === mostNames) throw error;
    }
  }
}

function argsOf(args: unknown): object {
  return isObject(args) ? args : { value: args };
}

/** JSON where the result is JSON, else text; a failure begins with `Error: `. */
function resultOf(end: EventOf<'item.completed'>): unknown {
  const output = end.output ?? end.error ?? '';
  if (end.status !== 'success')
    return `Error: ${end.error ?? (typeof output === 'string' ? output : JSON.stringify(output))}`;
  return typeof output === 'string' ? jsonOrText(output) : output;
}
