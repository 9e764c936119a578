import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer } from './model-server/index.ts';
import { body, type Planted, plantedSecrets } from './secrets.ts';

const bin = join(import.meta.dirname, '..', '..', 'bin', 'runwire.js');

/** More than the body of a private key may have between two of its lines. */
const filler = ' Nothing is secret in this sentence, it only keeps two others apart.'.repeat(4);
const isBlock = ({ name }: Planted): boolean => name === 'private-key';
const everySecret = [
  ...plantedSecrets.filter((planted) => !isBlock(planted)).map(({ text }) => text),
  ...plantedSecrets.filter(isBlock).map(({ text }) => `${filler}\n${text}`),
  filler,
].join('\n\n');

/** Secrets that are known by their value alone, and where each comes from. */
const fromEnvironment = 'correct-horse-battery-staple';
const fromConfig = 'stapled-battery-of-the-horse';
const fromMcp = 'horses-are-correct-in-battery';
const fromAddress = 'batteries-for-staple-horses';
const fromQuotes = `the horse's "battery" & staples/42`;
const bytesOf = (value: string, between: string): string =>
  (Buffer.from(value).toString('hex').match(/../g) ?? []).join(between);
const values: readonly Planted[] = [
  { name: 'a variable', secret: fromEnvironment, text: fromEnvironment },
  { name: 'a key of the config file', secret: fromConfig, text: fromConfig },
  { name: 'env of an MCP server', secret: fromMcp, text: fromMcp },
  { name: 'a password in OPENAI_BASE_URL', secret: fromAddress, text: fromAddress },
  { name: 'in base 16', secret: Buffer.from(fromEnvironment).toString('hex'), text: '' },
  { name: 'in base64', secret: btoa(fromEnvironment), text: '' },
  { name: 'as bytes', secret: bytesOf(fromEnvironment, ' '), text: '' },
  { name: 'as bytes with colons', secret: bytesOf(fromEnvironment, ':').toUpperCase(), text: '' },
  {
    name: 'in a URL, small digits',
    secret: encodeURIComponent(fromQuotes).replaceAll(/%../g, (each) => each.toLowerCase()),
    text: '',
  },
  { name: 'in JSON within JSON', secret: JSON.stringify(JSON.stringify(fromQuotes)).slice(3, -3), text: '' },
  { name: 'in quotes of a shell', secret: fromQuotes.replaceAll("'", String.raw`'\''`), text: '' },
  {
    name: 'in HTML',
    secret: fromQuotes.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    text: '',
  },
];
const everyValue = values.map(({ secret }) => secret).join('\n');
const everything = `${everyValue}\n\n${everySecret}`;
/** In names of folders and branches: no slash, no colon, no space. */
const inNames = plantedSecrets.filter(({ text }) => /^[A-Za-z0-9_-]{20,120}$/.test(text)).slice(0, 4);

export interface Cell {
  shape: string;
  sink: string;
  isClean: boolean;
}

/** What each sink holds, after runs that carry every secret at once. */
export async function sinksWithSecrets(all: boolean): Promise<Map<string, string>> {
  const home = mkdtempSync(join(tmpdir(), 'runwire-table-'));
  try {
    return await fill(home, all);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Every shape in every sink. A shape that has several samples is clean when all are. */
export function tableOf(sinks: ReadonlyMap<string, string>): Cell[] {
  const shapes = Map.groupBy([...values, ...plantedSecrets], ({ name }) => name);
  return [...shapes].flatMap(([shape, samples]) =>
    [...sinks].map(([sink, text]) => ({ shape, sink, isClean: !samples.some(({ secret }) => holds(text, secret)) })),
  );
}

/** The secret as it is, as JSON spells it, or any long line of it. */
function holds(text: string, secret: string): boolean {
  const lines = secret.split('\n').filter((line) => line.length >= 40 && !line.startsWith('-----'));
  return [secret, JSON.stringify(secret).slice(1, -1), ...lines].some((each) => text.includes(each));
}

const mostInLabel = 500;

/** As many labels as it takes: one has its limit, and so has their number. */
function inLabels(texts: readonly string[]): string[] {
  const filled: string[] = [];
  for (const text of texts.filter(({ length }) => length <= mostInLabel)) {
    const last = filled.at(-1);
    if (last !== undefined && last.length + text.length < mostInLabel) filled[filled.length - 1] = `${last} ${text}`;
    else filled.push(text);
  }
  return filled.map((value, index) => `--label=secret.${index}=${value}`);
}

async function fill(home: string, all: boolean): Promise<Map<string, string>> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    MY_SECRET: fromEnvironment,
    OTHER_SECRET: fromQuotes,
    OPENAI_BASE_URL: `http://me:${fromAddress}@127.0.0.1:9/v1`,
  };
  const config = {
    keys: { acme: fromConfig },
    mcpServers: { tickets: { url: 'http://127.0.0.1:9', headers: { 'X-Api-Key': fromMcp } } },
  };
  mkdirSync(join(home, '.config', 'runwire'), { recursive: true });
  writeFileSync(
    join(home, '.config', 'runwire', 'config.json'),
    JSON.stringify({ ...config, mcpServers: { tickets: { command: 'true', env: { TICKET_TOKEN: fromMcp } } } }),
  );
  const cwd = join(home, ...inNames.map(({ text }) => text));
  mkdirSync(join(cwd, '.git'), { recursive: true });
  writeFileSync(join(cwd, '.git', 'HEAD'), `ref: refs/heads/${inNames.map(({ text }) => text).join('/')}\n`);
  const stream = join(home, 'stream.jsonl');
  writeFileSync(stream, codexStream());
  const loud = join(home, 'loud.sh');
  writeFileSync(loud, `cat ${stream}; cat ${join(home, 'everything.txt')} >&2`);
  writeFileSync(join(home, 'everything.txt'), everything);

  const sinks = new Map<string, string>();
  const command = async (title: string, args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await runwire(args, { cwd, env });
    sinks.set(`${title}: stdout`, stdout);
    sinks.set(`${title}: stderr`, stderr);
    return stdout;
  };
  const tape = join(home, 'run.tape');
  const labels = inLabels([...plantedSecrets.map(({ text }) => text), ...values.map(({ secret }) => secret)]);
  await command('run --to runwire', ['run', '--to', 'runwire', '--tape', tape, ...labels, '--', 'sh', loud]);
  sinks.set('tape', readFileSync(tape, 'utf8'));
  sinks.set('ledger', filesBelow(join(home, 'state')));
  const others: Promise<unknown>[] = [
    command('runs export', ['runs', 'export']).then(async (exported) => {
      const { id } = JSON.parse(exported.split('\n')[0] ?? '') as { id: string };
      await command('runs show', ['runs', 'show', id]);
    }),
    command('outcome', ['outcome', stream]),
    command('validate', ['validate', '--from', 'codex', stream]),
    importExport(home, stream, { cwd, env }).then((text) => sinks.set('runs import of an export: ledger', text)),
  ];
  if (all) {
    others.push(
      command('convert --to claude', ['convert', '--to', 'claude', stream]),
      command('convert --to opencode', ['convert', '--to', 'opencode', stream]),
      command('outcome --full', ['outcome', '--full', stream]),
      command('runs list', ['runs', 'list', '--format', 'json']),
      command('run, narrated', ['run', '--no-tape', '--ledger', 'none', '--', 'sh', loud]),
      builtIn(sinks, { cwd, env }),
    );
  }
  await Promise.all(others);
  return sinks;
}

/** Every place of a stream that words can come from, and lines that are none. */
function codexStream(): string {
  const item = (id: number, more: object): object => ({ type: 'item.completed', item: { id: `item_${id}`, ...more } });
  const lines = [
    { type: 'thread.started', thread_id: body(12) },
    { type: 'turn.started' },
    item(0, { type: 'reasoning', text: everything }),
    item(1, {
      type: 'command_execution',
      command: everything,
      aggregated_output: everything,
      exit_code: 1,
      status: 'failed',
    }),
    item(2, { type: 'file_change', changes: [{ path: everyValue, kind: 'add' }], status: 'completed' }),
    item(3, { type: 'mcp_tool_call', server: 's', tool: 't', arguments: { deep: [everything] }, status: everything }),
    { type: everySecret.slice(0, 4000), [fromEnvironment]: everything },
    item(4, { type: 'error', message: everything }),
    item(5, { type: 'agent_message', text: everything }),
    { type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
  ];
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n${everything}\n`;
}

/** A ledger that was kept with its secrets, brought into another one. */
async function importExport(home: string, stream: string, place: Place): Promise<string> {
  const open = join(home, 'open.db');
  await runwire(
    ['runs', 'import', '--no-redact', ...inLabels(values.map(({ secret }) => secret)), '--ledger', open, stream],
    place,
  );
  const { stdout } = await runwire(['runs', 'export', '--ledger', open], place);
  if (!stdout.includes(fromEnvironment)) throw new Error('the export holds no secret, so its import shows nothing');
  const closed = join(home, 'closed');
  mkdirSync(closed);
  await runwire(['runs', 'import', '--ledger', join(closed, 'ledger.db'), '-'], { ...place, stdin: stdout });
  return filesBelow(closed);
}

/** The built-in agent on a model that says, writes and is answered every secret. */
async function builtIn(sinks: Map<string, string>, { cwd, env }: Place): Promise<void> {
  writeFileSync(join(cwd, 'keys.txt'), everything);
  const server = await startModelServer({
    turns: [
      {
        text: everything,
        calls: [
          { name: 'read', args: { path: 'keys.txt' } },
          { name: 'bash', args: { command: 'cat keys.txt' } },
        ],
        usage: { input: 10, output: 10 },
        chunkSize: 701,
      },
      { text: everything, usage: { input: 10, output: 10 }, chunkSize: 13 },
    ],
  });
  const recording = join(env.HOME ?? '', 'model.jsonl');
  const home = join(env.HOME ?? '', 'built-in');
  mkdirSync(home);
  try {
    const model = ['--model', 'openai-compatible/m', '--base-url', server.baseUrl('chat')];
    const { stdout, stderr } = await runwire(
      ['--json', '--permission-mode', 'full', '--record-model', recording, ...model, '-p', everything],
      {
        cwd,
        env: {
          ...env,
          XDG_STATE_HOME: home,
          XDG_CONFIG_HOME: join(home, 'none'),
          TICKETS_TOKEN: fromMcp,
          ACME_KEY: fromConfig,
        },
      },
    );
    sinks.set('--json: stdout', stdout);
    sinks.set('--json: stderr', stderr);
    sinks.set('--json: scratchpad', filesBelow(join(cwd, '.dexter')));
    sinks.set('--json: ledger, session', filesBelow(home));
    sinks.set('--record-model', readFileSync(recording, 'utf8'));
  } finally {
    await server.close();
  }
}

interface Place {
  cwd: string;
  env: Record<string, string>;
  stdin?: string;
}

function runwire(
  args: readonly string[],
  { cwd, env, stdin = '' }: Place,
): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
    child.on('error', reject);
    child.on('close', () => resolve({ stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });
}

function filesBelow(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return '';
  if (found.isFile()) return readFileSync(path, 'latin1');
  return readdirSync(path)
    .map((name) => `${name}\n${filesBelow(join(path, name))}`)
    .join('\n');
}
