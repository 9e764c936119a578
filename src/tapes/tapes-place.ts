import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { fieldOf } from '../json/field-of.ts';
import type { Environment } from '../words/vocabulary.ts';
import { configFolder } from '../files/xdg.ts';

/** Where the tapes of new runs go: files of this machine, a bucket, or the ledger's PostgreSQL. */
export type TapesPlace = { kind: 'files' } | { kind: 'postgres' } | BucketPlace;

export interface BucketPlace {
  kind: 'bucket';
  bucket: string;
  /** Without a slash at either end; empty: the whole bucket. */
  prefix: string;
}

const longestPrefix = 200;
const expected = 'expected s3://bucket/prefix, postgres or files';

/**
 * The flag, else `RUNWIRE_TAPES`, else `tapes` of the user's own config file, else where the ledger is: a team that shares a
 * PostgreSQL ledger reads the tapes of all its machines there, and a personal ledger file has tape files beside it.
 */
export function tapesPlace(
  flag: string | undefined,
  env: Environment,
  ledger: { kind: 'none' | 'sqlite' | 'postgres' },
): TapesPlace {
  const named = flag ?? (env['RUNWIRE_TAPES'] || undefined) ?? configured(env);
  if (named === undefined) return { kind: ledger.kind === 'postgres' ? 'postgres' : 'files' };
  if (named === 'files') return { kind: 'files' };
  if (named === 'postgres') {
    if (ledger.kind === 'sqlite')
      throw new Failure('config', 'tapes can be in postgres only if the ledger is: name one with --ledger');
    return { kind: 'postgres' };
  }
  if (named.startsWith('s3://')) return bucketPlace(named);
  // The input may contain a key, so it is not repeated.
  throw new Failure('config', `invalid place for tapes; ${expected}`);
}

function bucketPlace(address: string): BucketPlace {
  const [bucket = '', ...parts] = address.slice('s3://'.length).replace(/\/$/, '').split('/');
  if (address.includes('@') || address.includes('?'))
    throw new Failure(
      'config',
      'the address of tapes must not contain keys: they come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new Failure('config', `invalid bucket for tapes; ${expected}`);
  const prefix = parts.join('/');
  if (prefix.length > longestPrefix || parts.some((part) => !/^[\w.=-]+$/.test(part) || /^\.+$/.test(part)))
    throw new Failure(
      'config',
      `the prefix of tapes in a bucket may have letters, digits and _.=- between slashes, at most ${longestPrefix} characters`,
    );
  return { kind: 'bucket', bucket, prefix };
}

/** The beginning of every address in this place. */
export function bucketAddress({ bucket, prefix }: BucketPlace): string {
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
}

/** An invalid file is reported where the rest of it is read. */
function configured(env: Environment): string | undefined {
  try {
    const tapes = fieldOf(JSON.parse(readFileSync(join(configFolder(env), 'config.json'), 'utf8')), 'tapes');
    return typeof tapes === 'string' ? tapes : undefined;
  } catch {
    return undefined;
  }
}
