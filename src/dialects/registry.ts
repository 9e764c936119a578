import { Failure } from '../failure.ts';
import { claude } from './claude/index.ts';
import { codex } from './codex/index.ts';
import type { Dialect, JsonObject, Variant } from './dialect.ts';
import { runwire } from './runwire/index.ts';

/** Every dialect we know. Adding one is a folder and a line here. */
export const dialects: readonly Dialect[] = [runwire, codex, claude];

export function findDialect(id: string): Dialect {
  const found = dialects.find((dialect) => dialect.id === id);
  if (found === undefined) throw new Failure('input', `unknown dialect "${id}"; known: ${dialects.map((each) => each.id).join(', ')}`);
  return found;
}

/** `claude` or `claude:json` → the dialect and the variant to write. */
export function findWriter(name: string): { dialect: Dialect & Required<Pick<Dialect, 'encoder'>>; variant: Variant } {
  const [id = '', wanted] = name.split(':', 2);
  const dialect = findDialect(id);
  const writable = dialects.filter((each) => each.encoder !== undefined).map((each) => each.id);
  if (dialect.encoder === undefined) throw new Failure('input', `${id} can be read but not written; writable: ${writable.join(', ')}`);
  const variants = dialect.variants ?? [{ name: 'lines', layout: 'lines' }];
  const variant = wanted === undefined ? variants[0] : variants.find((each) => each.name === wanted);
  if (variant === undefined)
    throw new Failure('input', `${id} has no variant "${wanted}"; it has: ${variants.map((each) => each.name).join(', ')}`);
  return { dialect: dialect as Dialect & Required<Pick<Dialect, 'encoder'>>, variant };
}

/** The surest claim wins; nothing above one half is no claim at all. */
export function detectDialect(head: readonly JsonObject[], stderr: readonly string[]): { dialect: Dialect; sure: number } | undefined {
  let best: { dialect: Dialect; sure: number } | undefined;
  for (const dialect of dialects) {
    const sure = dialect.detect(head, stderr);
    if (sure > 0.5 && sure > (best?.sure ?? 0)) best = { dialect, sure };
  }
  return best;
}
