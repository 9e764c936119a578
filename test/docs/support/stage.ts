import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { shellQuote } from '../../../src/terminal/shell-quote.ts';
import { ScreenModel } from '../../support/screen.ts';
import { startModelServer, type ModelServer } from '../../support/model-server/index.ts';
import { root } from './pages.ts';

/** What stands in for the world outside: a model, collectors of spans, a server that is reported to. */
export interface World {
  model: ModelServer;
  sink: Server;
  sinkUrl: string;
  template: string;
}

const bin = join(root, 'bin', 'runwire.js');
const recording = (agent: string, scenario: string): string =>
  join(root, 'test', 'recordings', agent, scenario, 'stdout.jsonl');

/** Agents that are on PATH: each changes a file and prints what a real one printed. `claude` is written by ourselves. */
const streams: Readonly<Record<string, string>> = {
  codex: join(root, 'examples', 'codex-run.jsonl'),
  opencode: recording('opencode@1.18.33', 'multi-tool'),
  claude: 'claude.jsonl',
  gemini: recording('gemini@0.61.0', 'multi-tool'),
  'my-agent': recording('qwen@0.24.4', 'multi-tool'),
};

const agentScript = (stage: string, stream: string): string => `#!/bin/bash
case " $* " in
*" --version "*) echo 9.9.9 ;;
*" --acp "* | *" --experimental-acp "*) exec "${process.execPath}" "${join(root, 'test', 'support', 'acp', 'fake-agent.ts')}" text ;;
*) echo "export {};" > fixed.js; cat "${resolve(stage, stream)}" ;;
esac
`;

/** Servers and workers go on until their page is over; \`runwire\` is the built one, \`npx\` finds it without a registry. */
const runwireScript = `#!/bin/bash
ready() {
  until grep -q "$1" "$log" || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
  cat "$log" >&2
  kill -0 $pid && echo $pid >> "$STAGE/pids"
}
case "$1" in
serve) log=$(mktemp); "$NODE" "${bin}" "$@" --port 0 > /dev/null 2> "$log" & pid=$!; ready "open http" ;;
worker) log=$(mktemp); "$NODE" "${bin}" "$@" > "$log" 2>&1 & pid=$!; sleep 0.1; ready "" ;;
*) exec "$NODE" "${bin}" "$@" ;;
esac
`;
const npxScript = `#!/bin/bash
while [ "$1" != runwire ]; do shift; done
shift
[ "$1" = runwire ] && shift
exec runwire "$@"
`;
/** The project's own tests pass where its file was fixed, and where nobody worked on it. */
const npmScript = `#!/bin/bash
case "$1" in
test | ci) [ -f package.json ] ;;
*) echo "npm $*: not here" >&2; exit 1 ;;
esac
`;

/** Few machines have it; Node.js has the same library. */
const sqliteScript = `#!/bin/bash
exec "${process.execPath}" --no-warnings -e '
  const [, file, sql] = process.argv.slice(1);
  const rows = new (require("node:sqlite").DatabaseSync)(file, { readOnly: true }).prepare(sql).all();
  for (const row of rows) console.log(Object.values(row).join("|"));
' -- "$@"
`;

export async function openWorld(): Promise<World> {
  const model = await startModelServer({
    turns: ({ tools, entries }, index) => {
      if (index === 0 && tools.includes('execute_agent'))
        return {
          calls: [{ name: 'execute_agent', args: { agent: 'codex', prompt: 'Fix it' } }],
          usage: { input: 100, output: 10 },
        };
      return { text: `Done, after ${entries.length} messages.`, usage: { input: 100, output: 10 } };
    },
  });
  const sink = createServer((request, response) => {
    request.resume();
    request.on('end', () =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"accepted_to":1000000}'),
    );
  });
  await new Promise<void>((done) => void sink.listen(0, '127.0.0.1', done));
  return { model, sink, sinkUrl: `http://127.0.0.1:${(sink.address() as AddressInfo).port}`, template: makeTemplate() };
}

export async function closeWorld({ model, sink }: World): Promise<void> {
  await Promise.all([model.close(), new Promise((done) => void sink.close(done))]);
}

/** What the pages take for granted: a checkout with a remote, some files, and programs. Copied for every page. */
function makeTemplate(): string {
  const stage = mkdtempSync(join(tmpdir(), 'runwire-docs-'));
  const [project, programs] = [join(stage, 'project'), join(stage, 'bin')];
  for (const folder of [project, programs, join(stage, 'home')]) mkdirSync(folder);
  const script = (name: string, text: string): void => {
    writeFileSync(join(programs, name), text);
    chmodSync(join(programs, name), 0o755);
  };
  for (const [name, stream] of Object.entries(streams)) script(name, agentScript(stage, stream));
  script('runwire', runwireScript);
  script('npx', npxScript);
  script('npm', npmScript);
  script('xdg-open', '#!/bin/sh\n');
  script('sqlite3', sqliteScript);
  const codexRun = join(root, 'examples', 'codex-run.jsonl');
  const write = (path: string, text: string): void => writeFileSync(join(project, path), text);
  write('package.json', '{"scripts":{"test":"node --test"}}\n');
  execFileSync(
    'sh',
    [
      '-c',
      `git init -qb main . && git add -A && git -c user.name=me -c user.email=me@example.com commit -qm start &&
       git clone -q --bare . ../origin.git && git remote add origin ${stage}/origin.git && git fetch -q && git branch -qu origin/main`,
    ],
    { cwd: project },
  );
  writeFileSync(
    join(project, '.git', 'info', 'exclude'),
    [
      'examples',
      '*.jsonl',
      '*.txt',
      '*.pem',
      '*.json',
      '*.tape',
      'logs',
      '*.xml',
      '*.html',
      '*.csv',
      '*.parquet',
      '*.md',
      '',
    ].join('\n'),
  );
  symlinkSync(join(root, 'examples'), join(project, 'examples'));
  const node = (...args: string[]): Buffer =>
    execFileSync(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  cpSync(codexRun, join(project, 'run.jsonl'));
  writeFileSync(join(project, 'run.tape'), node('convert', codexRun));
  writeFileSync(join(stage, 'claude.jsonl'), node('convert', '--to', 'claude', codexRun));
  mkdirSync(join(project, 'logs'));
  cpSync(join(root, 'examples', 'false-success.jsonl'), join(project, 'logs', 'run.jsonl'));
  const certificate = [
    '-keyout',
    'key.pem',
    '-out',
    'cert.pem',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
  ];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...key, ...certificate], { cwd: project, stdio: 'ignore' });
  write('rules.txt', '# what must hold\nat most 20 turns\nno denials\n');
  write('err.txt', 'a line of stderr\n');
  write('tokens.txt', 'read,stop a-token-of-at-least-24-characters alice\n');
  write('issues.json', '[{"number":7,"title":"The date is wrong"}]\n');
  return stage;
}

/** A stage of its own: what runs there knows no other home, no key, and only the world that stands in. */
export function stageFor(world: World): string {
  const stage = mkdtempSync(join(tmpdir(), 'runwire-page-'));
  cpSync(world.template, stage, { recursive: true, verbatimSymlinks: true });
  return stage;
}

export interface Played {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** One block after the other, as in one shell: what a block exports, the next one has; but each finds a clean checkout. */
export function play(world: World, stage: string, script: string, { isTerminal = false } = {}): Promise<Played> {
  const variables = join(stage, 'variables.sh');
  const whole = `git clean -fdq\n[ ! -f '${variables}' ] || . '${variables}'\n${script}\nexport -p > '${variables}'\n`;
  const env = {
    PATH: `${join(stage, 'bin')}:${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`,
    HOME: join(stage, 'home'),
    TMPDIR: tmpdir(),
    NODE: process.execPath,
    STAGE: stage,
    TASK: 'fix the tests',
    RUNWIRE_MODEL: 'anthropic/claude-sonnet-4-5',
    ANTHROPIC_API_KEY: 'sk-docs',
    ANTHROPIC_BASE_URL: world.model.baseUrl('anthropic'),
    GIT_AUTHOR_NAME: 'me',
    GIT_AUTHOR_EMAIL: 'me@example.com',
    GIT_COMMITTER_NAME: 'me',
    GIT_COMMITTER_EMAIL: 'me@example.com',
  };
  return new Promise((done, reject) => {
    const inTerminal = ['-qec', `stty cols ${columns}; ${shellQuote(['bash', '-c', whole])}`, '/dev/null'];
    const [program, args] = isTerminal ? ['script', inTerminal] : ['bash', ['-c', whole]];
    const child = spawn(program, args, {
      cwd: join(stage, 'project'),
      env: isTerminal ? { ...env, TERM: 'xterm-256color', SHELL: '/bin/bash' } : env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const told = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (told.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (told.stderr += text));
    child.on('error', reject);
    child.on('close', (status) => done({ status, ...told, ...(isTerminal && { stdout: shownOf(told.stdout) }) }));
  });
}

/** Wide enough that no line of a page is broken. */
const columns = 200;

/** What a terminal shows in the end. */
function shownOf(written: string): string {
  const screen = new ScreenModel(columns);
  screen.write(written);
  return screen.text;
}

/** Ends what the page left running. */
export function strike(stage: string): void {
  const path = join(stage, 'pids');
  if (!existsSync(path)) return;
  for (const pid of readFileSync(path, 'utf8').trim().split('\n')) {
    try {
      process.kill(Number(pid), 'SIGTERM');
    } catch {
      // It has ended by itself.
    }
  }
}
