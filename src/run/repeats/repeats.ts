import type { EventOf, ItemKind } from '../../events/event.ts';
import { subject } from '../../events/subject.ts';
import { unlessTooLarge } from '../../json/unless-too-large.ts';
import { oneLine } from '../../terminal/plain.ts';
import { Digest, digestOf } from './digest.ts';
import { editEffectOf } from './edit-effect.ts';
import { type Edit, editOf, UndoneEdits } from './undone-edits.ts';

/** The same again: how often in a row, and a sentence about it. */
export interface Repetition {
  count: number;
  message: string;
}

/** A call that has begun: its fingerprint, and what it is called in a message. */
interface Call {
  id: string;
  print: string | undefined;
  label: string;
  kind: ItemKind;
  edit: Edit | undefined;
  /** What it printed so far; undefined: nothing yet. */
  printed: Digest | undefined;
  /** Unset: it is still at work. */
  end?: { token: string | undefined; undone: number };
}

/** The longest cycle of calls that is recognised. */
const longestCycle = 4;
/** A call that never ends must not hold back those after it for ever. */
const mostOpen = 32;
/** Of the agents below this one, how many are followed at a time. */
const mostLanes = 64;
const labelLength = 120;

/**
 * Notices that an agent goes round in circles: the same call with the same arguments and the same result, a short cycle of such
 * calls, or edits that take each other back. It keeps fingerprints, not texts, and only the last few.
 */
export class Repeats {
  readonly #lanes = new Map<string, Lane>();
  /** Which agent began a call. */
  readonly #laneOf = new Map<string, Lane>();

  started(event: EventOf<'item.started'>): void {
    const lane = this.#lane(event.parent_item_id ?? '');
    this.#laneOf.set(event.item_id, lane);
    const dropped = lane.begin(callOf(event));
    if (dropped !== undefined) this.#laneOf.delete(dropped);
  }

  printed({ item_id, stream, chunk }: EventOf<'item.output'>): void {
    if (stream !== 'progress') this.#laneOf.get(item_id)?.printed(item_id, chunk);
  }

  /** Returns the longest row that ends with this call, or with one that waited for it. */
  completed(event: EventOf<'item.completed'>): Repetition | undefined {
    const lane = this.#laneOf.get(event.item_id);
    this.#laneOf.delete(event.item_id);
    return lane?.end(event);
  }

  /** The agents below it that began last are followed; what an earlier one does is no longer counted. */
  #lane(parent: string): Lane {
    const lane = this.#lanes.get(parent) ?? new Lane();
    if (this.#lanes.has(parent)) return lane;
    this.#lanes.set(parent, lane);
    if (this.#lanes.size > mostLanes)
      for (const [name, each] of this.#lanes) {
        if (name === '') continue;
        this.#lanes.delete(name);
        for (const id of each.openIds()) this.#laneOf.delete(id);
        break;
      }
    return lane;
  }
}

/** The calls of one agent, in the order in which they began: calls that run at the same time end in any order. */
class Lane {
  #open: Call[] = [];
  readonly #edits = new UndoneEdits();
  /** The last calls, newest first. */
  #last: { token: string; label: string }[] = [];
  /** For each length of a cycle: how many calls in a row equal the one that many before. */
  readonly #equal = Array.from({ length: longestCycle }, () => 0);

  openIds(): string[] {
    return this.#open.map(({ id }) => id);
  }

  /** Returns the id of a call that is no longer waited for. */
  begin(call: Call): string | undefined {
    this.#open.push(call);
    if (this.#open.length <= mostOpen) return undefined;
    const [oldest] = this.#open.splice(0, 1);
    this.#broken();
    return oldest?.id;
  }

  printed(id: string, chunk: string): void {
    const call = this.#open.find((each) => each.id === id);
    if (call !== undefined) call.printed = (call.printed ?? new Digest()).text(chunk);
  }

  end(event: EventOf<'item.completed'>): Repetition | undefined {
    const call = this.#open.find(({ id, end }) => id === event.item_id && end === undefined);
    if (call === undefined) return undefined;
    const undone = call.edit === undefined || event.status !== 'success' ? 0 : this.#edits.edited(call.edit);
    call.end = { token: tokenOf(call, event), undone };
    let worst: Repetition | undefined;
    for (let [first] = this.#open; first?.end !== undefined; [first] = this.#open) {
      this.#open.shift();
      const each = this.#next(first, first.end);
      if (each !== undefined && each.count > (worst?.count ?? 0)) worst = each;
    }
    return worst;
  }

  #next({ label, print }: Call, { token, undone }: NonNullable<Call['end']>): Repetition | undefined {
    const edits =
      undone < 2
        ? undefined
        : { count: undone, message: `${undone} edits in a row took each other back, the last of them ${label}` };
    if (print === undefined) return edits;
    if (token === undefined) {
      this.#broken();
      return edits;
    }
    const calls = this.#called({ token, label });
    return edits === undefined || calls.count >= edits.count ? calls : edits;
  }

  #called(call: { token: string; label: string }): Repetition {
    let worst = { count: 1, length: 1 };
    for (let length = 1; length <= longestCycle; length += 1) {
      const equal = this.#last[length - 1]?.token === call.token ? (this.#equal[length - 1] ?? 0) + 1 : 0;
      this.#equal[length - 1] = equal;
      const count = Math.floor(equal / length) + 1;
      if (count > worst.count) worst = { count, length };
    }
    this.#last = [call, ...this.#last].slice(0, longestCycle);
    const { count, length } = worst;
    const names = this.#last
      .slice(0, length)
      .toReversed()
      .map(({ label }) => label);
    return {
      count,
      message:
        length === 1
          ? `the same call with the same result ${count} times in a row: ${names[0]}`
          : `the same ${length} calls with the same results ${count} times in a row: ${names.join('; ')}`,
    };
  }

  #broken(): void {
    this.#last = [];
    this.#equal.fill(0);
  }
}

function callOf({ item_id: id, kind, name, args }: EventOf<'item.started'>): Call {
  const about = unlessTooLarge(() => subject(args)) ?? '';
  const what = oneLine(about, labelLength);
  const effect = kind === 'file_edit' ? editEffectOf(args) : undefined;
  return {
    id,
    print: kind === 'branch_poll' || isWait(name, about) ? undefined : (digestOf([name, args]) ?? id),
    label: what === '' ? oneLine(name, labelLength) : `${oneLine(name, labelLength)} ${what}`,
    kind,
    edit: effect === undefined ? undefined : editOf(effect),
    printed: undefined,
  };
}

/** Only time passes: it neither repeats anything nor ends a row. */
function isWait(name: string, about: string): boolean {
  if (/^(?:sleep|wait)$/i.test(name)) return true;
  if (about.length > 100) return false;
  const words = about.split(/[\s"']+/).filter((word) => word !== '');
  const [program = '', flag = ''] = words;
  const [command, time, ...more] =
    /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-l?c$/.test(flag) ? words.slice(2) : words;
  return command === 'sleep' && /^[\d.]{1,10}[smhd]?$/.test(time ?? '') && more.length === 0;
}

/** A call and its result; undefined: how it went is not known, so nothing can be said about it. */
function tokenOf({ print, kind, edit, printed }: Call, event: EventOf<'item.completed'>): string | undefined {
  const { status, output, error, exit_code: exitCode } = event;
  const isUnknown = output === undefined && printed === undefined && error === undefined && exitCode === undefined;
  // An agent that does not tell what it writes makes all edits of a file look the same.
  const isBlank = kind === 'file_edit' && edit === undefined;
  if (print === undefined || status === 'abandoned' || status === 'cancelled' || isUnknown || isBlank) return undefined;
  const text = output === undefined ? (printed?.print ?? '') : digestOf(output);
  return text === undefined ? undefined : [print, status, text, digestOf(error ?? null), exitCode].join(' ');
}
