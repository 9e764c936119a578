import type { Environment } from '../../words/vocabulary.ts';
import type { Format } from '../read/format.ts';

/** Where an agent keeps its sessions, and how they are read. */
export interface Store {
  /** As Runwire calls the agent. */
  readonly agent: string;
  /** Folders and files that may be there; each counts once. */
  places(env: Environment): readonly string[];
  /** How a file in such a place is read, by its path below it; undefined: it is none of the store's. A place that is a file itself has the path ''. */
  formatOf(path: string): string | undefined;
  /** How deep the files lie below a place; default: at any depth. */
  readonly depth?: number;
}

/** By name, so that a file can be handed to another thread. */
export type Formats = Readonly<Record<string, Format>>;
