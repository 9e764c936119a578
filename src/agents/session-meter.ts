import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../words/vocabulary.ts';
import { homeFolder } from '../files/xdg.ts';

/** Usage from an agent's session file, for agents that report none while they run. */
export interface SessionTotals {
  sessionId: string;
  /** The folder that it worked in. */
  cwd: string;
  /** The model's answers. */
  turns: number;
  /** The last answer asks for a tool, so another will follow. */
  goesOn: boolean;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number;
  costUsd?: number;
  /** The agent has exited. */
  isFinal?: true;
}

/** Where an agent keeps its sessions, one file each, and how to read one; `read` gives undefined for any other file. */
export interface SessionStore {
  readonly variable: string;
  readonly home: string;
  readonly folder: string;
  readonly suffix: string;
  read(text: string): SessionTotals | undefined;
}

/** Larger files are not followed. */
const mostBytes = 64 * 1024 * 1024;

/** Follows the one session that was started in a folder since `since`. Two at a time cannot be told apart, so neither is followed. */
export class SessionMeter {
  readonly #store: SessionStore;
  readonly #root: string;
  readonly #cwd: string;
  readonly #since: number;

  constructor(store: SessionStore, cwd: string, env: Environment, since: number) {
    this.#store = store;
    this.#root = join(env[store.variable] || join(homeFolder(env), store.home), store.folder);
    this.#cwd = cwd;
    this.#since = since;
  }

  async look(): Promise<SessionTotals | undefined> {
    const found: SessionTotals[] = [];
    for (const name of await readdir(this.#root).catch(() => [])) {
      if (!name.endsWith(this.#store.suffix)) continue;
      const path = join(this.#root, name);
      const file = await stat(path).catch(() => undefined);
      if (
        file?.isFile() !== true ||
        file.mtimeMs < this.#since ||
        (file.birthtimeMs || file.mtimeMs) < this.#since ||
        file.size > mostBytes
      )
        continue;
      const totals = this.#store.read(await readFile(path, 'utf8').catch(() => ''));
      if (totals?.cwd === this.#cwd) found.push(totals);
    }
    return found.length === 1 ? found[0] : undefined;
  }
}
