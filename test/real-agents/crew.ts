import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fingerprint } from '../support/checkouts.ts';
import { startModelServer, type ModelRequest, type TurnInput } from '../support/model-server/index.ts';
import { type Served, truthOf } from '../support/recordings.ts';
import type { RealAgent } from './agent.ts';
import { differences } from './perform.ts';
import { processesOf } from './processes.ts';

const bin = join(import.meta.dirname, '..', '..', 'bin', 'runwire.js');

/** A member of a crew, and where its program is. */
export interface Member {
  agent: RealAgent;
  folder: string;
}

/** What several agents did under one run, and what those around them know of it. */
export interface Done {
  status: number | null;
  stderr: string;
  report: Report;
  cwd: string;
  remote: string;
  git(cwd: string, ...args: string[]): string;
  /** What was served to those whose requests are these. */
  served(
    isTheirs: (request: Served['requests'][number] & { format: string; model: string }) => boolean,
  ): ReturnType<typeof truthOf>['tokens'];
  /** What differs in the checkout and its repository, what still runs, and which copies are still there. */
  left: string[];
}

interface Report {
  status: string;
  lineage: {
    branches: {
      branch_id: string;
      parent_branch_id?: string;
      commit?: string;
      agent?: string;
      status?: string;
      verified?: string;
      winner?: boolean;
      cost?: number;
      files?: number;
    }[];
  };
  publish?: { status: string; ref?: string };
  usage: { runs: number; input_tokens?: number; output_tokens?: number; tokens_used?: number; cost?: number };
}

/** A race and an orchestration print it; the events of a run end with it. */
function reportIn(stdout: string): Report {
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const { final_report: report } = last.startsWith('{') ? (JSON.parse(last) as { final_report?: Report }) : {};
  return report ?? (JSON.parse(stdout) as Report);
}

/** Its one check fails: `value.txt` must say `right`. */
const files = { 'value.txt': 'wrong\n', 'README.md': '# Sample\n', 'test/value.sh': 'grep -q right value.txt\n' };
export const verify = 'sh test/value.sh';

export interface Asked {
  crew: readonly Member[];
  /** After `runwire`; the place of the model server is known by then. */
  args(url: string): readonly string[];
  answer(request: ModelRequest, index: number, cwd: string): TurnInput;
  signal: AbortSignal;
}

/** Runs a command in which agents take part, in a fresh home, with a fresh repository and a bare remote. */
export async function withCrew({ crew, args, answer, signal }: Asked, check: (done: Done) => void): Promise<void> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'runwire-crew-')));
  const [cwd, home, remote] = ['work', 'home', 'remote.git'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  const server = await startModelServer({
    turns: (request, index) => answer(request, index, cwd),
    side: { text: 'A title', maxSystem: 100_000 },
  });
  const stage = { url: server.url, work: cwd, started: join(base, 'started') };
  const git = (at: string, ...words: string[]): string =>
    execFileSync('git', words, {
      cwd: at,
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
      encoding: 'utf8',
    }).trimEnd();
  const write = (at: string, texts: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(at, path)), { recursive: true });
      writeFileSync(join(at, path), text);
    }
  };
  try {
    write(home, { '.gitconfig': '[user]\n\tname = Rig\n\temail = rig@example.com\n[init]\n\tdefaultBranch = main\n' });
    write(cwd, files);
    git(base, 'init', '-q', '--bare', remote);
    git(cwd, 'init', '-q');
    git(cwd, 'remote', 'add', 'origin', remote);
    git(cwd, 'add', '.');
    git(cwd, 'commit', '-qm', 'A sample');
    for (const { agent } of crew) write(home, agent.home(stage));
    const before = fingerprint(cwd);
    const child = spawn(process.execPath, [bin, ...args(server.url)], {
      cwd,
      env: {
        PATH: [
          ...crew.map(({ folder }) => join(folder, 'node_modules', '.bin')),
          dirname(process.execPath),
          process.env['PATH'],
        ].join(delimiter),
        HOME: home,
        LANG: 'C.UTF-8',
        SHELL: '/bin/bash',
        TERM: 'dumb',
        TMPDIR: tmpdir(),
        ...Object.assign({}, ...crew.map(({ agent }) => agent.env(stage))),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const told = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (more: string) => void (told.stdout += more));
    child.stderr.setEncoding('utf8').on('data', (more: string) => void (told.stderr += more));
    const kill = (): void => void child.kill('SIGTERM');
    signal.addEventListener('abort', kill);
    const [status] = (await once(child, 'close').finally(() => signal.removeEventListener('abort', kill))) as [
      number | null,
    ];
    const copies = join(home, '.local', 'state', 'runwire', 'copies');
    const left = [
      // Where our branch was pushed to, git remembers it.
      ...differences(before, fingerprint(cwd)).filter(
        (path) => !/^git\/refs\/remotes(?:\/origin(?:\/runwire\/?.*)?)?$/.test(path),
      ),
      ...processesOf(base),
      ...(existsSync(copies) ? readdirSync(copies).filter((name) => /^[0-9a-f]{12}$/.test(name)) : []),
    ];
    await server.settled();
    check({
      status,
      stderr: told.stderr,
      report: reportIn(told.stdout),
      cwd,
      remote,
      git,
      served: (isTheirs) =>
        // The wire counts what was asked on the side, such as a title, as well.
        truthOf({
          requests: server.served.requests
            .filter((each) => isTheirs(each as never))
            .map((each) => ({ ...each, side: false })) as Served['requests'],
        }).tokens,
      left,
    });
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  }
}
