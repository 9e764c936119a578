import type { Json } from '../../json/json.ts';
import { object } from '../../json/read.ts';
import { secrecyOf } from '../../redact/secret-names.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Directions } from './pointing.ts';
import { knownProviders } from './providers.ts';
import { given, isSecret } from './route-of.ts';
import type { UserFiles } from './user-files.ts';
import type { Provider } from './with-others.ts';
import { providerKeys } from '../words.ts';

/** Where the agent would still find a key. */
interface Left {
  env: Environment;
  files: UserFiles;
  /** More variables with keys than those of known providers. */
  variables?: readonly string[];
}

const knownVariables = [...providerKeys, ...Object.values(knownProviders).flatMap(({ keys }) => keys)];

/** Directions that put the token where a key is: into every variable that holds it, and into what covers the files. Keys of others are withheld. */
export function heldKeys(
  providers: readonly Provider[],
  token: string,
  { env, files, variables = [] }: Left,
): Directions {
  const keys = keysOf(providers);
  const mine = Object.keys(env).filter((name) => keys.includes(given(env, name) ?? ''));
  const isHeld = providers.every((each) => each.keys === 'held');
  const others = [...new Set([...knownVariables, ...variables])].filter(
    (name) => !mine.includes(name) && given(env, name) !== undefined,
  );
  return {
    args: [],
    files: {},
    links: {},
    env: Object.fromEntries(mine.map((name) => [name, token])),
    without: isHeld ? others : [],
    covered: files.covered(keys, token),
  };
}

/** A text that may hold keys, such as settings in a variable. */
export function withoutKeys(text: string, providers: readonly Provider[], token: string): string {
  return keysOf(providers).reduce((each, key) => each.replaceAll(key, token), text);
}

/** Whether headers that are set carry a secret of their own, which passes as it is. */
export const hasSecretHeader = (headers: Json | undefined): boolean => Object.keys(object(headers)).some(soundsLikeKey);

export const soundsLikeKey = (header: string): boolean => secrecyOf(header.replaceAll('-', '_')) !== undefined;

const keysOf = (providers: readonly Provider[]): string[] =>
  providers.flatMap(({ route: { key } }) => (isSecret(key) ? [key] : []));
