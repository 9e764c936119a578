import { Failure } from '../failure.ts';
import { durationOf } from '../duration.ts';

export function filled(flag: string, text: string | undefined, example: string): string | undefined {
  if (text?.trim() === '') throw new Failure('input', `${flag} is empty; expected for example ${example}`);
  return text;
}

/** `90s`, `5m`, `1h30m`, in ms. */
export function readDuration(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = durationOf(text) ?? 0;
  if (!(ms > 0)) throw new Failure('input', `${flag} ${text}: expected a duration such as 90s, 5m or 1h30m`);
  return ms;
}

export function readCount(flag: string, text: string | undefined, example: number): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Failure('input', `${flag} ${text}: expected a number from 1, such as ${example}`);
  return Number(text);
}

/** A plain decimal: `Number` alone would take `0x10`, `1e3`, blanks and nothing at all. */
export function amount(text: string): number | undefined {
  return /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : undefined;
}

export function readCost(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const usd = amount(text);
  if (usd === undefined || usd === 0) throw new Failure('input', `--max-cost-usd ${text}: expected an amount above 0, such as 0.50`);
  return usd;
}

/** One of a few words. */
export function readWord<Word extends string>(flag: string, text: string | undefined, words: readonly Word[]): Word | undefined {
  if (text === undefined) return undefined;
  const word = words.find((each) => each === text);
  if (word === undefined) throw new Failure('input', `${flag} ${text}: expected ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
  return word;
}
