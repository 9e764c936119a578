import type { Border } from '../processes/confined.ts';
import type { Environment, IsolationKind } from '../words/vocabulary.ts';
import type { Git } from './git.ts';

/** A command line, and where and with what it runs. */
export interface Order {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** Everything about a copy that is decided before it is made, and enough to find, keep and remove it after a crash. */
export interface CopyPlan {
  /** The top of the user's checkout, its git folder, and the one with the objects. */
  root: string;
  gitDir: string;
  commonDir: string;
  /** Where the copy's own files are: accessible only to this user, and outside the checkout. */
  folder: string;
  /** The branch that the work is kept on, and the commit that it starts from. */
  branch: string;
  base: string;
  /** The checkout matches the base, and so does its index unless the base is a snapshot. */
  isCheckedOut: boolean;
  isSnapshot: boolean;
  /** Untracked files of the checkout that the copy must have. */
  copied: readonly string[];
  /** Folders that an overlay puts a layer over. */
  layers: readonly string[];
  /** Settings of the user's repository from before the work, as far as they matter for keeping it. */
  settings: readonly (readonly [key: string, value: string])[];
}

/** What an isolation works with. */
export interface Means {
  git: Git;
  env: Environment;
}

/** Where a copy is, as the shell that reads it sees it. */
export interface CopyPlace {
  /** The top of the copy, its git folder, and the one with its objects. */
  top: string;
  gitDir: string;
  commonDir: string;
  /** Whether that shell can do no more than the work could. */
  mode: 'confined' | 'open';
}

/** In the folder for what is read from a copy: the user's objects, and what a mount of them needs. */
export const ownParts = ['own', 'own-below', 'own-nothing'] as const;

/** One way to isolate a copy. */
export interface Isolation {
  readonly kind: IsolationKind;
  /** The top of the copy, as the work inside sees it. */
  readonly top: string;
  create(signal: AbortSignal): Promise<void>;
  /** The same command, to be run inside; with a border, also within that. */
  inside(order: Order, border?: Border): Order;
  /** A folder for what is read from the copy: as we see it, and as the shell that reads it does. */
  scratch(name: string): { outside: string; inside: string };
  /** Where we see the git folder that the work had to itself; undefined: it had none. */
  readonly ownGitDir: string | undefined;
  /** Runs a shell script over the copy, confined as the work was; returns its output. */
  read(script: string, args: (place: CopyPlace) => readonly string[], signal: AbortSignal | undefined): Promise<string>;
  /** Removes the copy: its folder, wherever that was moved to, and everything else. Never throws for what is already gone. */
  remove(folder: string): Promise<void>;
}
