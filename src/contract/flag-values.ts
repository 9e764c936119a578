import { Failure } from '../failure.ts';
import { durationOf } from '../time/duration.ts';
import { readAllowedHost } from '../words/allowed-hosts.ts';
import { withoutPassword } from '../redact/url-password.ts';

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

export function readCount(flag: string, text: string | undefined, example: number, least = 1): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text) || Number(text) < least)
    throw new Failure('input', `${flag} ${text}: expected a number from ${least}, such as ${example}`);
  return Number(text);
}

/** A plain decimal: `Number` alone would take `0x10`, `1e3`, blanks and nothing at all. */
export function amount(text: string): number | undefined {
  return /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : undefined;
}

/** What `amount` reads: numbers below a millionth would otherwise be written with an exponent. */
export function plainDecimal(value: number): string {
  const [digits = '', exponent] = String(value).split('e-');
  return exponent === undefined ? digits : `0.${'0'.repeat(Number(exponent) - 1)}${digits.replace('.', '')}`;
}

export function readCost(flag: string, text: string): number {
  const usd = amount(text);
  if (usd === undefined || usd === 0)
    throw new Failure('input', `${flag} ${text}: expected an amount above 0, such as 0.50`);
  return usd;
}

export function readUrl(flag: string, text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Failure('input', `${flag} ${withoutPassword(text)}: expected a URL such as http://localhost:11434/v1`);
  return text;
}

/** One of a few words. */
export function readWord<Word extends string>(
  flag: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (text === undefined) return undefined;
  const word = words.find((each) => each === text);
  if (word === undefined)
    throw new Failure('input', `${flag} ${text}: expected ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
  return word;
}

export function readRetries(flag: string, text: string): number {
  if (!/^\d{1,3}$/.test(text))
    throw new Failure('input', `${flag} ${text}: expected a number from 0 to 999, such as 2`);
  return Number(text);
}

/** What `readDuration` reads. */
export function writeDuration(ms: number): string {
  return `${plainDecimal(ms / 1000)}s`;
}

/** Hosts by their names. */
export function readHosts(given: readonly string[], flag: string): string[] {
  return given.map((text) => {
    const host = readAllowedHost(text);
    if (typeof host === 'string') throw new Failure('input', `${flag} ${text}: ${host}`);
    return text.trim();
  });
}

/** Models by their names, or patterns of them. */
export function readModels(given: readonly string[], flag: string): string[] {
  return given.map((text) => {
    const model = text.trim();
    if (model === '' || /[\s,]/.test(model))
      throw new Failure(
        'input',
        `${flag} ${text}: expected the name of one model, such as gpt-5 or 'claude-*'; repeat ${flag} for more`,
      );
    return model;
  });
}

/** `20%`, as a share. */
export function readPercent(flag: string, text: string): number {
  const share = text.endsWith('%') ? amount(text.slice(0, -1)) : undefined;
  if (share === undefined || share === 0 || share > 100)
    throw new Failure('input', `${flag} ${text}: expected a share above 0% and up to 100%, such as 20%`);
  // 7 divided by 100 is a little more than 0.07.
  return Number((share / 100).toPrecision(15));
}

export function writePercent(share: number): string {
  return `${plainDecimal(Number((share * 100).toPrecision(15)))}%`;
}

/** `fail`, `wait`, `wait:5h`. */
export const onLimitWords = /^(?:fail|wait(?::(?:\d+(?:\.\d+)?[smhdw])+)?)$/;

export function readOnLimit(given: string, flag: string): string {
  if (!onLimitWords.test(given)) throw new Failure('input', `${flag} ${given}: expected fail, wait, or wait:5h`);
  return given;
}

/** How long it may wait in all; undefined: it does not. */
export function longestWait(onLimit: string | undefined): number | undefined {
  if (onLimit === undefined || onLimit === 'fail') return undefined;
  const [, most] = onLimit.split(':');
  return most === undefined ? Infinity : durationOf(most);
}

/** An agent, and its model if one is named. */
export function readFallback(given: string): { agent: string; model: string | undefined } {
  const [agent = '', ...model] = given.startsWith('acp:') ? [given] : given.split('=');
  return { agent: agent.trim(), model: model.length === 0 ? undefined : model.join('=').trim() };
}

export function readFallbacks(given: readonly string[], flag: string): string[] {
  for (const each of given) {
    const { agent, model } = readFallback(each);
    if (agent === '' || model === '')
      throw new Failure(
        'input',
        `${flag} ${each === '' ? '""' : each}: expected an agent such as claude, or claude=MODEL`,
      );
  }
  return [...given];
}
