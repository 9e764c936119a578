import type { EventRecord } from '../events/event.ts';

/** Deeper than this nothing is cut: nobody shows it either. */
const deepest = 12;

/** A record in which no text is longer than this; `cut` tells of each that was, and how many characters are missing. */
export function cutRecord(record: EventRecord, longest: number): object {
  const cut: Record<string, number> = {};
  function cutValue(value: unknown, path: string, depth: number): unknown {
    if (typeof value === 'string') {
      if (value.length <= longest) return value;
      cut[path] = value.length - longest;
      return value.slice(0, longest);
    }
    if (typeof value !== 'object' || value === null || depth > deepest) return value;
    if (Array.isArray(value)) return value.map((each, index) => cutValue(each, `${path}/${index}`, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cutValue(each, `${path}/${key.slice(0, 100)}`, depth + 1)]));
  }
  const { type, timestamp, ...said } = record;
  const short = cutValue(said, '', 0);
  return typeof short === 'object' && short !== null && Object.keys(cut).length > 0 ? { type, timestamp, ...short, cut } : record;
}
