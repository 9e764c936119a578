import { Failure } from '../failure.ts';
import { nearest } from '../words/nearest.ts';
import { agUi } from './ag-ui/index.ts';
import { acp } from './acp/index.ts';
import { agentCode } from './agent-code/index.ts';
import { aiSdkUi } from './ai-sdk-ui/index.ts';
import { amp } from './amp.ts';
import { antigravity } from './antigravity.ts';
import { atif } from './atif/index.ts';
import { claude } from './claude/index.ts';
import { cline } from './cline/index.ts';
import { codex } from './codex/index.ts';
import { continueCli } from './continue.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { devAgent } from './dev-agent/index.ts';
import { dexter } from './dexter/index.ts';
import type { Dialect, Variant } from './dialect.ts';
import type { JsonObject } from '../json/json.ts';
import { droid } from './droid.ts';
import { gemini } from './gemini/index.ts';
import { goose } from './goose.ts';
import { kilo } from './kilo.ts';
import { kimi } from './kimi.ts';
import { opencode } from './opencode/index.ts';
import { openhands } from './openhands.ts';
import { pi } from './pi/index.ts';
import { qwen } from './qwen/index.ts';
import { runwire } from './runwire/index.ts';
import { sweAgent } from './swe-agent.ts';

/** Every dialect we know. Adding one is a file, or a folder, and a line here. */
export const dialects: readonly Dialect[] = [
  runwire,
  codex,
  claude,
  opencode,
  gemini,
  qwen,
  pi,
  agentCode,
  dexter,
  devAgent,
  cline,
  continueCli,
  kilo,
  goose,
  cursor,
  amp,
  droid,
  copilot,
  antigravity,
  kimi,
  openhands,
  atif,
  sweAgent,
  aiSdkUi,
  agUi,
  acp,
];

export function findDialect(id: string): Dialect {
  const found = dialects.find((dialect) => dialect.id === id);
  if (found !== undefined) return found;
  const known = dialects.map((each) => each.id);
  throw new Failure('input', `unknown dialect "${id}"${nearest(id, known)}; known: ${known.join(', ')}`);
}

/** What `--from` may name. */
export const readable: readonly Dialect[] = dialects.filter(({ about }) => about.reads !== undefined);

export function findReader(id: string): Dialect {
  const dialect = findDialect(id);
  if (dialect.about.reads !== undefined) return dialect;
  throw new Failure(
    'input',
    `${id} can be written but not read; readable: ${readable.map((each) => each.id).join(', ')}`,
  );
}

/** `claude` or `claude:json` → the dialect and the variant to write. */
export function findWriter(name: string): { dialect: Dialect & Required<Pick<Dialect, 'encoder'>>; variant: Variant } {
  const [id = '', wanted] = name.split(':', 2);
  const dialect = findDialect(id);
  const writable = dialects.filter((each) => each.encoder !== undefined).map((each) => each.id);
  if (dialect.encoder === undefined)
    throw new Failure('input', `${id} can be read but not written; writable: ${writable.join(', ')}`);
  const variants = dialect.variants ?? [{ name: 'lines', layout: 'lines' }];
  const variant = wanted === undefined ? variants[0] : variants.find((each) => each.name === wanted);
  if (variant === undefined)
    throw new Failure(
      'input',
      `${id} has no variant "${wanted}"; it has: ${variants.map((each) => each.name).join(', ')}`,
    );
  return { dialect: dialect as Dialect & Required<Pick<Dialect, 'encoder'>>, variant };
}

/** The surest dialect wins; one half or less does not count. `cut`: texts that should have been objects. */
export function detectDialect(
  head: readonly JsonObject[],
  stderr: readonly string[],
  cut: readonly string[] = [],
): { dialect: Dialect; sure: number } | undefined {
  let best: { dialect: Dialect; sure: number } | undefined;
  for (const dialect of dialects) {
    const sure = Math.max(dialect.detect(head, stderr), ...cut.map((text) => dialect.detectText?.(text) ?? 0));
    if (sure > 0.5 && sure > (best?.sure ?? 0)) best = { dialect, sure };
  }
  return best;
}
