import { zstdDecompressSync } from 'node:zlib';
import type { Row } from './database.ts';
import { hashOf } from '../tapes/chunks/chunk.ts';

/** What is said of a run once it has ended, and does not change from then on. Labels and its place in a tree may. */
const sealed = (
  'id agent model started_at ended_at status class exit_code duration_ms input_tokens output_tokens reasoning_tokens cache_read_tokens cache_write_tokens cost ' +
  'cost_source cost_is turns tool_calls artifacts warnings session_id prompt attempts agent_version dialect tape_sha256'
).split(' ');
/** The same, of columns that came later: a run that was sealed without them still fits. */
const sealedIfKnown = ['claims_checked', 'claims_contradicted'];
/** The columns of `runs`, and of `documents`, that are needed to look at a seal. */
export const sealColumns = [...sealed, ...sealedIfKnown].map(
  (name) => `${['prompt', 'attempts', 'agent_version', 'dialect', 'tape_sha256'].includes(name) ? 'd' : 'r'}.${name}`,
);

/** A hash over all of it: a figure, an answer or the hash of a tape that is changed afterwards no longer fits. There is no key: who can change the ledger can seal it again. */
export function sealOf(row: Row): string {
  const facts = sealed.map((name) => row[name] ?? null);
  const later = sealedIfKnown.map((name) => row[name] ?? null);
  const isKnown = later.some((value) => value !== null);
  return hashOf(Buffer.from(JSON.stringify([...facts, outcomeText(row['outcome']), ...(isKnown ? later : [])])));
}

/** The outcome as JSON, from its column. */
export function outcomeText(written: unknown): string {
  return written instanceof Uint8Array ? zstdDecompressSync(written).toString() : String(written);
}
