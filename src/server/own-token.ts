import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, messageOf } from '../failure.ts';
import { makeFolder } from '../files/make-folder.ts';
import type { Environment } from '../words/vocabulary.ts';
import { stateFolder } from '../files/xdg.ts';
import { type Right, rights, type Token } from './tokens.ts';

/** A shorter token can be guessed. */
const shortest = 24;

/** The token of the user who starts the server. It is stored, readable by that user alone, so that open pages survive a restart. */
export function ownToken(env: Environment, { renew }: { renew: boolean }): Token {
  const path = join(stateFolder(env), 'serve.token');
  const kept = renew ? undefined : readKept(path);
  const secret = kept ?? randomBytes(32).toString('base64url');
  if (kept === undefined) keep(path, secret);
  return { secret, rights: ['read', 'stop'], name: 'the page', id: 'page' };
}

function readKept(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text.length >= shortest ? text : undefined;
  } catch {
    return undefined;
  }
}

/** If it cannot be written, the token is good for this start only. */
function keep(path: string, secret: string): void {
  try {
    makeFolder(dirname(path));
    writeFileSync(path, `${secret}\n`, { mode: 0o600 });
  } catch {
    // After a restart the new link has to be used.
  }
}

const variables: readonly (readonly [variable: string, rights: readonly Right[]])[] = [
  ['RUNWIRE_READ_TOKEN', ['read']],
  ['RUNWIRE_STOP_TOKEN', ['read', 'stop']],
  ['RUNWIRE_REPORT_TOKEN', ['report']],
];

/** Tokens from environment variables and from a file with lines such as `read,stop TOKEN alice`. None of them is ever printed. */
export function givenTokens(env: Environment, file: { path: string; text: string } | undefined): Token[] {
  const set = variables.flatMap(([variable, given]): Token[] => {
    const secret = env[variable] ?? '';
    if (secret === '') return [];
    if (secret.length < shortest)
      throw new Failure(
        'config',
        `${variable}: a token of less than ${shortest} characters can be guessed; try "openssl rand -hex 24"`,
      );
    return [{ secret, rights: given, name: `the token ${variable}`, id: `variable:${variable}` }];
  });
  const lines = (file?.text ?? '').split('\n').map((line) => line.trim());
  return [
    ...set,
    ...lines.flatMap((line, index) =>
      line === '' || line.startsWith('#') ? [] : [tokenOf(line, `${file?.path}:${index + 1}`)],
    ),
  ];
}

function tokenOf(line: string, place: string): Token {
  const [allowed = '', secret = '', ...name] = line.split(/\s+/);
  const given = allowed.split(',').map((word) => rights.find((each) => each === word));
  if (given.includes(undefined))
    throw new Failure(
      'config',
      `${place}: expected rights (${rights.join(', ')}), a token and a name, such as: read,stop TOKEN alice`,
    );
  if (secret.length < shortest)
    throw new Failure(
      'config',
      `${place}: a token of less than ${shortest} characters can be guessed; try "openssl rand -hex 24"`,
    );
  const called = name.join(' ');
  // Without a name, two tokens differ by their secrets alone; of these only a hash may leave.
  const id =
    called === '' ? `token:${createHash('sha256').update(secret).digest('hex').slice(0, 32)}` : `name:${called}`;
  return { secret, rights: given.filter((right) => right !== undefined), name: called || 'a token', id };
}

export function readText(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Failure('input', `${flag} ${path}: ${messageOf(error)}`, { cause: error });
  }
}
