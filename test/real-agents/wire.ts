import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Performed } from './perform.ts';

/** What passed through the wire, request by request, in an order of its own: some are made at the same time. */
interface Passed {
  requests: readonly string[];
  /** What the outcome says of all of them. */
  counted: number | undefined;
  /** Those that were cut off before they had told all that they used. */
  cut: number;
  /** Of all of them; undefined: some were cut off, and how much of those is known depends on the format. */
  tokens: { input: number | undefined; output: number | undefined } | undefined;
  /** Where the real key was found. */
  keys: readonly string[];
}

const line = (model: string | undefined, input: number | undefined, output: number | undefined): string =>
  `${model}: ${input} in, ${output} out`;

/** What Runwire told of the requests. */
export function passedOf({ records, outcome, keys }: Performed): Passed {
  const answers = records.flatMap((record) => (record.type === 'model.responded' ? [record] : []));
  const whole = answers.filter(({ usage, ended }) => usage === 'final' && ended === 'complete');
  const cut = outcome?.wire?.uncounted ?? 0;
  return {
    requests: whole.map((each) => line(each.model_served, each.input_tokens, each.output_tokens)).toSorted(),
    counted: outcome?.wire?.requests,
    cut,
    tokens: cut > 0 ? undefined : { input: outcome?.metrics.input_tokens, output: outcome?.metrics.output_tokens },
    keys,
  };
}

/** What was served. */
export function servedOf({ served }: Performed): Passed {
  const whole = served.requests.filter(
    ({ done, fault, answer }) => done === true && fault === undefined && answer !== undefined,
  );
  const usage = whole.map(({ model, answer }) => ({
    model,
    input: answer?.usage?.input ?? 0,
    output: answer?.usage?.output ?? 0,
  }));
  const sum = (field: 'input' | 'output'): number | undefined =>
    usage.length === 0 ? undefined : usage.reduce((total, each) => total + each[field], 0);
  const cut = served.requests.filter(
    ({ fault, aborted }) => aborted === true || fault?.type === 'disconnect' || fault?.type === 'stall',
  ).length;
  return {
    requests: usage.map(({ model, input, output }) => line(model, input, output)).toSorted(),
    counted: served.requests.length,
    cut,
    tokens: cut > 0 ? undefined : { input: sum('input'), output: sum('output') },
    keys: [],
  };
}

/** Where a key is found in the processes of a run, but for Runwire's own: variables, arguments, and memory if asked for. */
export function keysIn(
  key: string,
  folder: string,
  { except, memory }: { except: number | undefined; memory: boolean },
): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && Number(name) !== except)
    .flatMap((name) => {
      const at = join('/proc', name);
      const [environ, cmdline] = ['environ', 'cmdline'].map((each) => textOf(join(at, each)));
      if (![environ, cmdline].some((text) => text?.includes(folder) === true)) return [];
      const program = cmdline?.replaceAll('\0', ' ').slice(0, 80);
      return [
        ...(environ?.includes(key) === true ? [`variables of ${program}`] : []),
        ...(cmdline?.includes(key) === true ? [`arguments of ${program}`] : []),
        ...(memory && isInMemory(at, Buffer.from(key)) ? [`memory of ${program}`] : []),
      ];
    });
}

/** Those of the user's files in which an address of the wire was written. */
export function addressesIn(home: string, paths: readonly string[]): string[] {
  return paths
    .filter((path) => /127\.0\.0\.1:\d+\/[\w-]{32}\//.test(textOf(join(home, path)) ?? ''))
    .map((path) => `an address in ${path}`);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

const step = 1024 * 1024;

function isInMemory(at: string, key: Buffer): boolean {
  const ranges = (textOf(join(at, 'maps')) ?? '').split('\n').flatMap((each) => {
    const found = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(each);
    return found === null ? [] : [[Number.parseInt(found[1] ?? '', 16), Number.parseInt(found[2] ?? '', 16)] as const];
  });
  const buffer = Buffer.alloc(step + key.length);
  let file: number | undefined;
  try {
    file = openSync(join(at, 'mem'), 'r');
    for (const [start, end] of ranges)
      for (let from = start; from < end; from += step) {
        const length = readAt(file, buffer, from, Math.min(buffer.length, end - from));
        if (buffer.subarray(0, length).includes(key)) return true;
      }
  } catch {
    // It has ended, or its memory is not ours to read.
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return false;
}

/** Some ranges cannot be read. */
function readAt(file: number, buffer: Buffer, from: number, length: number): number {
  try {
    return readSync(file, buffer, 0, length, from);
  } catch {
    return 0;
  }
}
