import { unlessTooLarge } from '../json/unless-too-large.ts';
import type { EventRecord } from './event.ts';
import { recordJson } from './record-json.ts';

/** Deeper than this, a value is kept whole or not at all. */
const deepest = 12;
const longestKey = 200;
/** A record has room for this many texts of maximum length; once the room is used up, every further text is cut to one line. */
const textsKept = 8;
const line = 200;
/** A top-level list or object keeps this many entries even when there is no room left. */
const entriesKept = 100;

const head = (text: string, length: number): string => text.slice(0, length);

/** The JSON of a record, cut if it is longer than `longest`; undefined: it is nested too deeply to be written. */
export function cutJson(
  record: EventRecord,
  longest = Infinity,
  shorten?: (text: string, length: number) => string,
): string | undefined {
  return unlessTooLarge(() => {
    const json = recordJson(record);
    return json === undefined || json.length <= longest ? json : JSON.stringify(cutRecord(record, longest, shorten));
  });
}

/** The record with no text longer than `longest` and its total size bounded; `cut` lists where characters are missing, and how many. */
export function cutRecord(
  record: EventRecord,
  longest: number,
  shorten: (text: string, length: number) => string = head,
): object {
  const cut: Record<string, number> = {};
  let room = longest * textsKept;
  function lose(path: string, characters: number): void {
    cut[path] = (cut[path] ?? 0) + characters;
  }
  function cutValue(value: unknown, path: string, depth: number): unknown {
    if (typeof value === 'string') {
      const length = Math.min(longest, Math.max(line, room));
      room -= Math.min(length, value.length);
      if (value.length <= length) return value;
      lose(path, value.length - length);
      return shorten(value, length);
    }
    room -= 8;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > deepest) {
      const { length } = JSON.stringify(value);
      room -= length;
      if (room >= 0) return value;
      lose(path, length);
      return '…';
    }
    const entries = Object.entries(value);
    const kept: [string, unknown][] = [];
    for (const [index, [key, each]] of entries.entries()) {
      if (room <= 0 && (depth > 1 || index >= entriesKept)) {
        lose(path, JSON.stringify(entries.slice(index)).length);
        break;
      }
      const name = key.slice(0, longestKey);
      if (name.length < key.length) lose(`${path}/${name}`, key.length - name.length);
      room -= name.length;
      kept.push([name, cutValue(each, `${path}/${name}`, depth + 1)]);
    }
    return Array.isArray(value) ? kept.map(([, each]) => each) : Object.fromEntries(kept);
  }
  const { type, timestamp, ...event } = record;
  const short = cutValue(event, '', 0);
  return typeof short === 'object' && short !== null && Object.keys(cut).length > 0
    ? { type, timestamp, ...short, cut }
    : record;
}
