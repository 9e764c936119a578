import type { Variables } from './settings.ts';

/** Decides whether a trace is exported: as its parent run decided, if it follows that, else by itself. */
export interface Sampler {
  followsParent: boolean;
  /** The share of all traces, from 0 to 1. */
  ratio: number;
}

const kinds: Readonly<Record<string, Sampler | 'ratio' | 'parent ratio'>> = {
  always_on: { followsParent: false, ratio: 1 },
  always_off: { followsParent: false, ratio: 0 },
  traceidratio: 'ratio',
  parentbased_always_on: { followsParent: true, ratio: 1 },
  parentbased_always_off: { followsParent: true, ratio: 0 },
  parentbased_traceidratio: 'parent ratio',
};
const usual: Sampler = { followsParent: true, ratio: 1 };

export function readSampler(read: Variables): Sampler {
  const word = read.text('OTEL_TRACES_SAMPLER')?.toLowerCase();
  if (word === undefined) return usual;
  const kind = Object.hasOwn(kinds, word) ? kinds[word] : undefined;
  if (kind === undefined) {
    read.warn(
      `OTEL_TRACES_SAMPLER is "${word}": expected ${Object.keys(kinds).join(', ')}; parentbased_always_on is used`,
    );
    return usual;
  }
  return typeof kind === 'object' ? kind : { followsParent: kind === 'parent ratio', ratio: ratioOf(read) };
}

function ratioOf(read: Variables): number {
  const text = read.text('OTEL_TRACES_SAMPLER_ARG') ?? '1';
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  read.warn('OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1: all traces are exported');
  return 1;
}

/** `parent`: the parent's decision, if there is a parent. The last digits of the trace id serve as the random number, so all spans of a trace agree. */
export function isSampled({ followsParent, ratio }: Sampler, traceId: string, parent: boolean | undefined): boolean {
  if (followsParent && parent !== undefined) return parent;
  const chance = Number.parseInt(traceId.slice(-13), 16) / 2 ** 52;
  return chance < ratio;
}
