import type { Route } from '../../wire/route.ts';
import type { Environment } from '../../words/vocabulary.ts';

/** What an agent would find if it were started now. */
export interface PointingPlace {
  /** The variables that it would get. */
  env: Environment;
  /** What the installed program printed; undefined: unknown, and taken for the newest. */
  version: string | undefined;
  /** The text of a file of the user's; undefined: there is none. Throws `NotPointed` for a file that cannot be read. */
  read(path: string): string | undefined;
  /** The names in a folder of the user's; empty if there is none. */
  list(path: string): readonly string[];
}

/** Where an agent's requests go, and how to send them somewhere else first. Its own settings, model and providers stay. */
export interface Pointed {
  routes: readonly Route[];
  /** `held`: the agent needs none of the keys, and none is left with it; `passed`: it sends what it has, such as a login. */
  keys: 'held' | 'passed';
  /** Whether this way was tried with the real agent and changes nothing else of what it does; otherwise it is only for those who ask for it. */
  tried: boolean;
  /** What is different for the user, as sentences. */
  remarks: readonly string[];
  direct(to: Destination): Directions;
}

export type Pointing = Pointed | { cannot: string };

export interface Destination {
  /** The address that takes the place of a route's upstream. */
  address(route: string): string;
  /** Takes the place of every key. */
  token: string;
  /** An empty private folder, for the files of the directions. */
  folder: string;
}

/** What to change when the agent is started. */
export interface Directions {
  /** Put after the user's own `--agent-arg` words. */
  args: readonly string[];
  /** They override all others. */
  env: Readonly<Record<string, string>>;
  /** Variables with keys that nothing here needs: withheld, unless the user passes them by name. */
  without: readonly string[];
  /** Path in the folder → text; for the user's eyes only. */
  files: Readonly<Record<string, string>>;
  /** Path in the folder → what a symbolic link there leads to. */
  links: Readonly<Record<string, string>>;
  /** Files of the user's that hold a key → what the agent is to see instead. Without a mount namespace it can read them. */
  covered: Readonly<Record<string, string>>;
}

/** Why an agent cannot be pointed with certainty, and what to try: a sentence for people. */
export class NotPointed extends Error {}

/** For an agent that cannot be pointed at all. */
export const notPointed = (why: string) => (): Promise<never> => Promise.reject(new NotPointed(why));
