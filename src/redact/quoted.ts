import type { Environment } from '../vocabulary.ts';
import { Redactor } from './redactor.ts';
import { secretValues } from './secrets.ts';

/** What another program said, as a message quotes it: without secrets, then cut. `env`: what that program may have known. */
export function quoted(said: string, most: number, env: Environment = {}): string {
  return new Redactor({ values: secretValues(env) }).quote(said.trim(), most);
}

/** The end of what it said, where a program gives its reason. */
export function quotedEnd(said: string, most: number, env: Environment = {}): string {
  return new Redactor({ values: secretValues(env) }).quoteEnd(said.trim(), most);
}
