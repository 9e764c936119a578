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
  /** Where the copy's own things are: for this user alone, and outside the checkout. */
  folder: string;
  /** The branch that the work is kept on, and the commit that it starts from. */
  branch: string;
  base: string;
  /** The checkout shows the base as it is, and so does its index unless the base is a snapshot. */
  isCheckedOut: boolean;
  isSnapshot: boolean;
  /** Files of the checkout that git does not know and that the copy must have. */
  copied: readonly string[];
  /** Folders that an overlay has a layer over. */
  layers: readonly string[];
}

/** What an isolation works with. */
export interface Means {
  git: Git;
  env: Environment;
}

/** Where the git folder of a copy is, as the shell that keeps its work sees it. */
export interface CopyPlace {
  /** The repository of the user. */
  repository: string;
  /** The top of the copy, its git folder, and the one with its objects. */
  top: string;
  gitDir: string;
  commonDir: string;
}

/** One way to keep a copy apart. */
export interface Isolation {
  readonly kind: IsolationKind;
  /** The top of the copy, as the work inside sees it. */
  readonly top: string;
  create(signal: AbortSignal): Promise<void>;
  /** The same command, run inside. */
  inside(order: Order): Order;
  /** A shell script that sees the copy and the user's repository beside it; answers its output. */
  look(script: string, args: (place: CopyPlace) => readonly string[]): Promise<string>;
  /** Removes its folder, from wherever that was moved to, and what else there is of it. Never throws for what is gone already. */
  remove(folder: string): Promise<void>;
}

/** A path as one entry of a list of paths with colons between them, as git reads it. */
export function asList(path: string): string {
  return /[:"]/.test(path) ? JSON.stringify(path) : path;
}
