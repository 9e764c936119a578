import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Clip, lastBreak } from '../../src/builtin/tools/clip.ts';
import { openLedgerAt } from '../../src/ledger/ledger.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { quoted, quotedEnd } from '../../src/redact/quoted.ts';
import { Redactor } from '../../src/redact/redactor.ts';
import { safeEnd, safeStart } from '../../src/redact/safe-cut.ts';
import { createApp } from '../../src/server/app.ts';
import { namesOf } from '../../src/server/names.ts';
import { inside, live, project, type Live } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { loadRecording, scenariosOf } from '../support/recordings.ts';
import { body, plantedSecrets } from '../support/secrets.ts';
import { isSweep, some, sweep } from '../support/sweep.ts';

/** Every length that something is shortened to, and some that nothing is. */
const limits = [40, 60, 64, 80, 100, 120, 160, 200, 300, 400, 500, 1000, 2000, 2048, 4096, 8000];
const dashes = '-'.repeat(5);
const lines = Array.from({ length: 6 }, (_, line) => body(64, 'word', line + 201));
const pem = [
  `${dashes}BEGIN RSA PRIVATE KEY${dashes}`,
  'Proc-Type: 4,ENCRYPTED',
  ...lines,
  `${body(20, 'word', 210)}==`,
];
const secrets = {
  named: { text: `token: ${body(48, 'word', 220)}`, parts: [body(48, 'word', 220)] },
  prefixed: { text: `gh${'p_'}${body(36, 'word', 221)}`, parts: [body(36, 'word', 221)] },
  long: {
    text: `ey${'J'}${body(400, 'word', 222)}.ey${'J'}${body(900, 'word', 223)}.${body(86, 'word', 224)}`,
    parts: [body(900, 'word', 223)],
  },
  pem: { text: [...pem, `${dashes}END RSA PRIVATE KEY${dashes}`].join('\n'), parts: [...lines, body(20, 'word', 210)] },
};
type Kind = keyof typeof secrets;
const kinds = Object.keys(secrets) as Kind[];

/** So much of a secret must not be seen anywhere. */
const telling = 12;
const inRuns = (text: string): string[] =>
  Array.from(text.matchAll(/[A-Za-z0-9]{12,}/g)).flatMap(([run]) =>
    Array.from({ length: run.length - telling + 1 }, (_, at) => run.slice(at, at + telling)),
  );
const fragments = new Set(Object.values(secrets).flatMap(({ parts }) => parts.flatMap(inRuns)));
const leakIn = (text: string, hidden = fragments): string | undefined => inRuns(text).find((each) => hidden.has(each));

const words = (length: number): string => 'and so on '.repeat(Math.ceil(length / 10)).slice(0, Math.max(0, length));
/** A text whose secret begins shortly before it is cut after `limit` characters, and one whose secret ends shortly after it is cut from the end. */
const acrossEnd = (kind: Kind, limit: number, back: number): string =>
  `${words(limit - back - 1)} ${secrets[kind].text} ${words(9000)}`;
const acrossStart = (kind: Kind, limit: number, back: number): string =>
  `${words(9000)} ${secrets[kind].text} ${words(limit - back - 1)}`;
const backs = [3, 9, 14, 17, 25, 33];

describe('a secret across a cut', () => {
  const ways: Record<string, (text: string, limit: number) => string> = {
    quoted: (text, limit) => quoted(text, limit),
    'quoted, its end': (text, limit) => quotedEnd(text, limit),
    'a long quote': (text, limit) => new Redactor().quote(text + words(100_000), limit),
    'cut beside it': (text, limit) => text.slice(0, safeEnd(text, limit)),
    'begun beside it': (text, limit) => text.slice(safeStart(text, text.length - limit)),
    clipped(text, limit) {
      const clip = new Clip(2 * limit);
      for (let at = 0; at < text.length; at += 701) clip.add(text.slice(at, at + 701));
      return clip.toString();
    },
  };

  it.each(Object.keys(ways))('leaves no part of it: %s', (way) => {
    for (const kind of kinds)
      for (const limit of limits)
        for (const back of backs)
          for (const text of [acrossEnd(kind, limit, back), acrossStart(kind, limit, back)]) {
            const shown = ways[way]?.(text, limit) ?? '';
            // What is cut beside a secret may hold whole ones, which are recognised later.
            expect({ kind, limit, back, leak: leakIn(new Redactor().text(shown)) }).toEqual({
              kind,
              limit,
              back,
              leak: undefined,
            });
          }
  });
});

it('a secret of any kind is found when only its beginning is shown, up to a word, as in live output', () => {
  for (const { text, secret } of plantedSecrets) {
    const hidden = new Set(inRuns(secret));
    const breaks = new Set(
      Array.from({ length: text.length }, (_, at) => lastBreak(`${words(600)} ${text.slice(0, at)}`)),
    );
    for (const at of breaks) {
      const shown = `${words(600)} ${text}`.slice(0, at);
      expect({ shown, leak: leakIn(new Redactor().text(shown), hidden) }).toEqual({ shown, leak: undefined });
    }
  }
});

/** A line of JSON with a text at the end of every text that holds more than one word. */
function planted(line: string, text: string): string {
  try {
    return JSON.stringify(JSON.parse(line), (_, value: unknown) =>
      typeof value === 'string' && value.includes(' ') ? `${value} ${text}` : value,
    );
  } catch {
    return line;
  }
}

/** What an agent prints, with a secret in every place: in its own texts, and in lines that are none of its format. */
function streamWith(recorded: string, kind: Kind, limit: number): string {
  const text = acrossEnd(kind, limit, 14);
  const [first = '', ...rest] = recorded.split('\n');
  const unknown = [
    { type: `new.${text}` },
    { type: 'new', title: text, [text]: text },
    { type: 'error', message: text, error: { message: text, name: text } },
  ];
  const noise = [
    text.replaceAll('\n', ' '),
    `{"broken": "${text.replaceAll('\n', String.raw`\n`)}`,
    ...secrets.pem.text.split('\n'),
  ];
  return [
    planted(first, text),
    ...noise,
    ...unknown.map((each) => JSON.stringify(each)),
    ...rest.map((line) => planted(line, text)),
    ...noise,
  ].join('\n');
}

const folders = readdirSync(join(import.meta.dirname, '..', 'recordings'));
const encoder = new TextEncoder();

describe.each(folders)('whatever %s prints', (name) => {
  const scenarios = scenariosOf(name);
  const recordings = some(scenarios)
    .slice(0, isSweep ? 3 : 1)
    .map((scenario) => loadRecording(name, scenario));

  it.each(['heard', 'judged only'])('no part of a secret comes out: %s', (how) => {
    for (const { stdout, stderr, exit } of recordings)
      for (const [kind, limit] of sweep(kinds, isSweep ? limits : [64, 80, 200, 1000])) {
        let out = '';
        const reader = new Reader({
          redact: new Redactor(),
          newId: () => 'thread-1',
          ...(how === 'heard' ? { onRecord: (record) => void (out += `${JSON.stringify(record)}\n`) } : {}),
        });
        reader.stdout(encoder.encode(streamWith(Buffer.from(stdout).toString(), kind, limit)));
        reader.stderr(
          encoder.encode(
            `${Buffer.from(stderr).toString()}\n${acrossEnd(kind, limit, 14)}\nError: 429 ${acrossEnd(kind, limit, 14)}\n`,
          ),
        );
        const outcome = reader.end({ ...exit, exit_code: 1 });
        out += JSON.stringify(outcome);
        out += JSON.stringify(reader.notes);
        expect({ kind, limit, leak: leakIn(out) }).toEqual({ kind, limit, leak: undefined });
      }
  });
});

it('an oversized line is cut where no secret begins', () => {
  const limit = 64 * 1024;
  for (const kind of ['named', 'prefixed', 'long'] as const)
    for (const back of backs) {
      let out = '';
      const reader = new Reader({
        redact: new Redactor(),
        maxLineBytes: 4 * limit,
        onRecord: (record) => void (out += JSON.stringify(record)),
      });
      reader.stdout(encoder.encode(`${words(limit - back - 1)} ${secrets[kind].text} ${words(5 * limit)}\n`));
      const outcome = reader.end();
      out += JSON.stringify(outcome);
      expect({ kind, back, isCut: out.includes('oversize'), leak: leakIn(out) }).toEqual({
        kind,
        back,
        isCut: true,
        leak: undefined,
      });
    }
});

function filesBelow(path: string): string {
  if (statSync(path).isFile()) return readFileSync(path, 'latin1');
  return readdirSync(path)
    .map((name) => `${name}\n${filesBelow(join(path, name))}`)
    .join('\n');
}

/** What every address of the server tells about a run, by its path. */
async function servedOf(state: string, id: string): Promise<Record<string, string>> {
  const ledger = await openLedgerAt(
    { kind: 'sqlite', path: join(state, 'runwire', 'ledger.db') },
    { XDG_STATE_HOME: state },
  );
  const app = createApp({
    ledger,
    names: namesOf({ host: '127.0.0.1', port: () => 80, allowedOrigins: [] }),
    tokens: undefined,
    assets: new Map(),
    now: Date.now,
    warn: (message) => {
      throw new Error(message);
    },
  });
  const asked = new Set(
    app.routes.flatMap(({ method, path }) => (method === 'GET' ? [path.replaceAll(/:[a-z]+/g, id)] : [])),
  );
  for (const more of ['records?cut=200', 'records?follow=0', 'tape?to=claude', 'tape?to=opencode'])
    asked.add(`/api/runs/${id}/${more}`);
  asked.add('/api/runs?search=and');
  const served: Record<string, string> = {};
  for (const path of asked) {
    const response = await app.request(path, { headers: { host: '127.0.0.1' } }, {});
    // The news of runs never end; they hold what the list of runs does.
    if (path === '/api/live') await response.body?.cancel();
    else if (path.startsWith('/api/runs')) served[path.replaceAll(id, 'ID')] = response.ok ? await response.text() : '';
  }
  await ledger.store.close();
  return served;
}

describe('every sink of a run', () => {
  it.each([
    ['opencode@1.18.33', 'named'],
    ['opencode@1.18.33', 'pem'],
    ['codex@0.166.0', 'long'],
  ] as const)('of %s holds no part of a secret: %s', async (agent, kind) => {
    const [scenario = ''] = scenariosOf(agent);
    const recorded = Buffer.from(loadRecording(agent, scenario).stdout).toString();
    const cwd = project();
    const home = folder();
    const env = {
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'),
    };
    const stream = [80, 200, 500, 1000, 4096].map((limit) => streamWith(recorded, kind, limit)).join('\n');
    writeFileSync(join(cwd, 'stream.jsonl'), stream);
    writeFileSync(join(cwd, 'said.txt'), limits.map((limit) => acrossEnd(kind, limit, 14)).join('\n'));
    const saidBy = ({ stdout, stderr }: Live): string => `${stdout}\n${stderr}`;
    const told = async (...args: string[]): Promise<string> => saidBy(await inside(args, { cwd, env }));
    const label = acrossEnd(kind, 500, 14).replaceAll('\n', ' ').slice(-500);
    const documents = [
      '--report-md',
      'r.md',
      '--report-html',
      'r.html',
      '--junit',
      'r.xml',
      '--outcome',
      'o.json',
      '--otel',
      'spans.jsonl',
    ];
    const check = `said=$(cat said.txt); printf %s "$said" >&2; exit 3`;
    const program = ['--', 'sh', '-c', 'cat stream.jsonl; cat said.txt >&2; exit 1'];
    const sinks: Record<string, string> = {};
    const first = [
      'run',
      '--to',
      'runwire',
      '--tape',
      'run.tape',
      `--label=x=${label}`,
      '--expect',
      `after: ${check}`,
      '--github',
    ];
    // Only the package has the page of the HTML report.
    sinks['run --to runwire'] = saidBy(await live([...first, ...documents, ...program], { cwd, env }));
    sinks['run, narrated'] = await told('run', '--ledger', 'none', '--no-tape', '--no-github', ...program);
    for (const format of ['claude', 'opencode', 'dev-agent'])
      sinks[`convert --to ${format}`] = await told('convert', '--to', format, 'stream.jsonl');
    sinks['outcome'] = await told('outcome', 'stream.jsonl');
    sinks['outcome --full'] = await told('outcome', '--full', 'stream.jsonl');
    sinks['validate'] = await told('validate', 'stream.jsonl');
    sinks['runs list'] = await told('runs', 'list', '--format', 'json');
    sinks['export json'] = await told('runs', 'export');
    const { id } = JSON.parse(sinks['export json'].split('\n')[0] ?? '') as { id: string };
    sinks['runs show'] = await told('runs', 'show', id);
    sinks['runs timeline'] = await told('runs', 'show', '--timeline', id);
    sinks['export csv'] = await told('runs', 'export', '--format', 'csv');
    await told('runs', 'export', '--format', 'parquet', '--output', 'runs.parquet');
    sinks['import'] = await told('runs', 'import', '--ledger', join(home, 'other.db'), 'stream.jsonl');
    Object.assign(sinks, await servedOf(env.XDG_STATE_HOME, id));
    for (const name of ['run.tape', 'r.md', 'r.html', 'summary.md', 'r.xml', 'o.json', 'spans.jsonl', 'runs.parquet'])
      sinks[name] = readFileSync(join(cwd, name), 'latin1');
    sinks['files below the home'] = filesBelow(home);
    expect(
      Object.entries(sinks).flatMap(([sink, text]) => (leakIn(text) === undefined ? [] : [[sink, leakIn(text)]])),
    ).toEqual([]);
    const silent = Object.entries(sinks).filter(([, text]) => text.trim() === '');
    expect(silent).toEqual([]);
  });
});
