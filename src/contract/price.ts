import { Failure } from '../failure.ts';
import { present } from '../json/present.ts';
import { amount, plainDecimal } from './flag-values.ts';

/** USD per million tokens, as a spec and `--price` name them. */
interface SpecPrice {
  input: number;
  output: number;
  cache_read?: number | undefined;
  cache_write?: number | undefined;
  cache_write_1h?: number | undefined;
}

const names = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const;

/** `input=3,output=15,cache_read=0.3`. */
export function readPrice(text: string): SpecPrice {
  const wrong = (why: string): Failure =>
    new Failure(
      'input',
      `--price ${text}: ${why}; expected USD per million tokens, such as input=3,output=15,cache_read=0.3`,
    );
  const given = new Map<string, number>();
  for (const part of text.split(',')) {
    const [name = '', value = '', ...more] = part.split('=');
    const usd = amount(value);
    if (!names.some((each) => each === name))
      throw wrong(`"${part}" is not input, output, cache_read, cache_write or cache_write_1h`);
    if (usd === undefined || more.length > 0) throw wrong(`"${part}" is not an amount`);
    if (given.has(name)) throw wrong(`${name} twice`);
    given.set(name, usd);
  }
  const [input, output, cache_read, cache_write, cache_write_1h] = names.map((name) => given.get(name));
  if (input === undefined || output === undefined)
    throw wrong(`${input === undefined ? 'input' : 'output'} is missing`);
  return { input, output, ...present({ cache_read, cache_write, cache_write_1h }) };
}

export function writePrice(price: SpecPrice): string {
  return names.flatMap((name) => (price[name] === undefined ? [] : [`${name}=${plainDecimal(price[name])}`])).join(',');
}
