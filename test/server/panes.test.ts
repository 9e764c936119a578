import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { beside, readToken, type Serving, serving } from './serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-panes-'));
const root = join(import.meta.dirname, '..', '..');
const panes = join(root, 'examples', 'pane');
const fileOf = (name: string): string => readFileSync(join(panes, name), 'utf8');
const run = (recording: string) =>
  beside(state, ['run', '-q', '--to', 'runwire', '--', 'cat', join(root, 'examples', recording)]).ended;
let state: string;
let server: Serving;

beforeEach(async () => {
  state = mkdtempSync(join(folder, 'state-'));
  server = await serving(state, ['--allow-origin', 'null']);
});
afterEach(() => void server.child.kill('SIGKILL'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const AsyncFunction = (async () => {}).constructor as new (
  ...words: string[]
) => (...values: unknown[]) => Promise<void>;

/** As much of a page as a pane touches: an element with a text and children. */
class Element {
  textContent = '';
  onclick = (): void => {};
  readonly children: Element[] = [];
  get firstChild(): Element | undefined {
    return this.children[0];
  }
  insertBefore(child: Element): Element {
    this.children.unshift(child);
    return child;
  }
  append(text: string): void {
    this.textContent += text;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => void setTimeout(resolve, 20));
}

it('are of forty lines each, and shown in the guide as they are', () => {
  const guide = readFileSync(join(root, 'docs', 'panes.md'), 'utf8');
  for (const name of readdirSync(panes)) {
    expect([name, fileOf(name).trimEnd().split('\n').length <= 40]).toEqual([name, true]);
    expect(guide).toContain(fileOf(name));
  }
});

it('a page in one file, an editor pane and a Slack message tell of a run', async () => {
  const [list, log] = [new Element(), new Element()];
  const document = { getElementById: (id: string) => (id === 'runs' ? list : log), createElement: () => new Element() };
  const script = /<script type="module">([\s\S]*)<\/script>/.exec(fileOf('pane.html'))?.[1] ?? '';
  new AsyncFunction('document', 'location', script)(document, {
    hash: `#server=${server.origin}&token=${readToken}`,
  }).catch(() => {});

  const printed: string[] = [];
  const status = { text: '', show: () => {} };
  const vscode = {
    workspace: {
      getConfiguration: () => ({ server: server.origin, token: readToken }),
      workspaceFolders: [{ uri: { fsPath: root } }],
    },
    window: {
      createOutputChannel: () => ({ appendLine: (line: string) => void printed.push(line) }),
      createStatusBarItem: () => status,
    },
  };
  const extension: { activate?: (context: { subscriptions: unknown[] }) => Promise<void> } = {};
  await new AsyncFunction('require', 'exports', fileOf('extension.js'))(() => vscode, extension);
  extension.activate?.({ subscriptions: [] }).catch(() => {});

  const messages: string[] = [];
  const hook = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => void (text += chunk.toString()));
    request.on('end', () => {
      messages.push((JSON.parse(text) as { text: string }).text);
      response.end();
    });
  });
  await new Promise<void>((resolve) => void hook.listen(0, '127.0.0.1', resolve));
  const slack = spawn(process.execPath, [join(panes, 'slack.mjs')], {
    env: {
      ...process.env,
      RUNWIRE_SERVER: server.origin,
      RUNWIRE_READ_TOKEN: readToken,
      SLACK_WEBHOOK_URL: `http://127.0.0.1:${(hook.address() as AddressInfo).port}`,
    },
    stdio: 'ignore',
  });
  try {
    const viewers = async (): Promise<string> => (await server.ask('/metrics')).text();
    while (!(await viewers()).includes('runwire_viewers 3\n'))
      await new Promise((resolve) => void setTimeout(resolve, 100));
    await Promise.all([run('codex-run.jsonl'), run('false-success.jsonl')]);
    const succeeded = (): Element | undefined => list.children.find(({ textContent }) => textContent.startsWith('✓'));
    await until(() => list.children.length === 2 && succeeded() !== undefined);
    await until(() => printed.some((line) => line.startsWith('— success')) && messages.length === 1);
    succeeded()?.onclick();
    await until(() => log.textContent.endsWith('— success\n'));
    expect(log.textContent).toContain('$ command_execution\n');
    expect(printed).toContain('  command_execution');
    expect(messages[0]).toMatch(/^\*provider\* /);
  } finally {
    slack.kill('SIGKILL');
    hook.close();
  }
});

it('a tmux status line counts what runs', async () => {
  await run('codex-run.jsonl');
  const { stdout } = spawnSync('sh', [join(panes, 'tmux-status.sh')], {
    encoding: 'utf8',
    env: { ...process.env, RUNWIRE_SERVER: server.origin, RUNWIRE_READ_TOKEN: readToken },
  });
  expect(stdout).toMatch(/^0 live · last: \w+ (success|provider) · \$[\d.]+ today\n$/);
});
