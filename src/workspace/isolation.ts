import type { Environment, IsolationKind } from '../vocabulary.ts';
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
}

/** What an isolation works with. */
export interface Means {
  git: Git;
  env: Environment;
}

/** Where the git folder of a copy is, as the shell that keeps its work sees it. */
export interface CopyPlace {
  /** The user's repository. */
  repository: string;
  /** The top of the copy, its git folder, and the one with its objects. */
  top: string;
  gitDir: string;
  commonDir: string;
}

/** One way to isolate a copy. */
export interface Isolation {
  readonly kind: IsolationKind;
  /** The top of the copy, as the work inside sees it. */
  readonly top: string;
  create(signal: AbortSignal): Promise<void>;
  /** The same command, to be run inside. */
  inside(order: Order): Order;
  /** Runs a shell script that sees the copy and the user's repository beside it; returns its output. */
  look(script: string, args: (place: CopyPlace) => readonly string[]): Promise<string>;
  /** Removes the copy: its folder, wherever that was moved to, and everything else. Never throws for what is already gone. */
  remove(folder: string): Promise<void>;
}

/** A path as one entry of a colon-separated list, as git reads it. */
export function asList(path: string): string {
  return /[:"]/.test(path) ? JSON.stringify(path) : path;
}
