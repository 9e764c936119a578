import type { Environment } from '../words/vocabulary.ts';
import { Redactor } from './redactor.ts';
import { secretValues } from './secrets.ts';

/** What another program said, as a message quotes it: without secrets, then cut. `env`: what that program may have known. */
export function quoted(text: string, most: number, env: Environment = {}): string {
  return new Redactor({ values: secretValues(env) }).quote(text.trim(), most);
}

/** The end of what it said, where a program gives its reason. */
export function quotedEnd(text: string, most: number, env: Environment = {}): string {
  return new Redactor({ values: secretValues(env) }).quoteEnd(text.trim(), most);
}
