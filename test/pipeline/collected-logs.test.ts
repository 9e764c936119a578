import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { fold } from '../../src/pipeline/convert.ts';
import { loadRecording } from '../support/recordings.ts';

const at = Date.parse('2026-03-04T05:06:07.890Z');
const time = new Date(at).toISOString();
const each = (wrap: (line: string) => object) => (lines: readonly string[]) =>
  lines.map((line) => `${JSON.stringify(wrap(line))}\n`).join('');

const pieces = (text: string, size: number): string[] => {
  const out: string[] = [];
  for (let from = 0; from < text.length; from += size) out.push(text.slice(from, from + size));
  return out;
};
const ascii = (line: string): string =>
  line.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** How collectors keep the lines of a process. */
const collected: Record<string, (lines: readonly string[]) => string> = {
  "docker's json-file": each((line) => ({ log: `${line}\n`, stream: 'stdout', time })),
  "docker's json-file, long lines in pieces": (lines) =>
    lines
      .flatMap((line) => pieces(`${ascii(line)}\n`, 16 * 1024))
      .map((log) => `${JSON.stringify({ log, stream: 'stdout', time })}\n`)
      .join(''),
  'Fluent Bit': each((log) => ({ date: at / 1000, log, kubernetes: { pod_name: 'agent-1' } })),
  'journalctl -o json': each((MESSAGE) => ({
    __CURSOR: 's=1',
    __REALTIME_TIMESTAMP: String(at * 1000),
    PRIORITY: '6',
    MESSAGE,
  })),
  'journalctl -o json, as bytes': each((line) => ({
    _PID: '1',
    __REALTIME_TIMESTAMP: String(at * 1000),
    MESSAGE: [...Buffer.from(line)],
  })),
  'aws logs get-log-events': (lines) =>
    JSON.stringify(
      { events: lines.map((message) => ({ timestamp: at, message, ingestionTime: at })), nextForwardToken: 'f/1' },
      null,
      4,
    ),
  'CloudWatch, a line each': each((message) => ({
    logStreamName: 'run/1',
    timestamp: at,
    message,
    ingestionTime: at,
    eventId: '1',
  })),
  Logstash: each((message) => ({ '@timestamp': time, '@version': '1', message, host: 'ci' })),
  'Google Cloud, as text': each((textPayload) => ({
    insertId: 'a',
    textPayload,
    timestamp: time,
    resource: { type: 'k8s_container' },
  })),
  'Google Cloud, as JSON': (lines) =>
    JSON.stringify(
      lines.map((line) => ({ insertId: 'a', jsonPayload: JSON.parse(line) as object, timestamp: time, logName: 'x' })),
    ),
  'CloudWatch, a subscription': (lines) =>
    `${JSON.stringify({
      messageType: 'DATA_MESSAGE',
      logGroup: '/ci',
      logStream: 'run/1',
      logEvents: lines.map((message, id) => ({ id: String(id), timestamp: at + id, message })),
    })}\n`,
  'CloudWatch Insights, newest first': (lines) =>
    JSON.stringify({
      status: 'Complete',
      results: lines
        .map((message, index) => [
          { field: '@timestamp', value: new Date(at + index).toISOString().replace('T', ' ').replace('Z', '') },
          { field: '@message', value: message },
          { field: '@ptr', value: 'x' },
        ])
        .toReversed(),
    }),
  "Loki's query_range, newest first": (lines) =>
    JSON.stringify({
      status: 'success',
      data: {
        resultType: 'streams',
        result: [0, 1].map((half) => ({
          stream: { app: 'agent', half: String(half) },
          values: lines
            .map((line, index) => [`${at + index}000000`, line])
            .filter((_, index) => index % 2 === half)
            .toReversed(),
        })),
      },
    }),
  'Azure Container Apps': each((Log) => ({ TimeStamp: time, Log })),
  'Azure Container Apps, as in Kubernetes': each((line) => ({ TimeStamp: time, Log: `${time} stdout F ${line}` })),
  Filebeat: each((message) => ({
    '@timestamp': time,
    log: { offset: 12, file: { path: '/var/log/x' } },
    message,
    stream: 'stdout',
  })),
  "Datadog's API": (lines) =>
    JSON.stringify({
      data: lines.map((message, id) => ({
        id: String(id),
        type: 'log',
        attributes: { timestamp: new Date(at + id).toISOString(), message },
      })),
      meta: {},
    }),
  "Datadog's API, a line each": each((message) => ({
    id: 'a',
    type: 'log',
    attributes: { timestamp: time, message, tags: [] },
  })),
  "Datadog's first API, newest first": (lines) =>
    JSON.stringify({
      logs: lines
        .map((message, id) => ({ id: String(id), content: { timestamp: new Date(at + id).toISOString(), message } }))
        .toReversed(),
      status: 'done',
    }),
  Loki: each((line) => ({ labels: { app: 'agent' }, line, timestamp: time })),
  "Grafana's download": (lines) =>
    JSON.stringify(
      lines.map((line, index) => ({ line, timestamp: `${at + index}000000`, date: time, fields: { app: 'agent' } })),
    ),
  'Elasticsearch, newest first': (lines) =>
    JSON.stringify({
      took: 3,
      hits: {
        total: { value: lines.length },
        hits: lines
          .map((message, index) => ({
            _index: 'logs',
            _id: String(index),
            _source: { '@timestamp': new Date(at + index).toISOString(), message, host: { name: 'ci' } },
          }))
          .toReversed(),
      },
    }),
  'elasticdump, a line each': each((message) => ({
    _index: 'logs',
    _id: 'a',
    _source: { '@timestamp': time, message },
  })),
  'Splunk, a line each': each((_raw) => ({ preview: false, offset: 0, result: { _raw, _time: time, source: 'ci' } })),
  'Splunk, newest first': (lines) =>
    JSON.stringify({
      preview: false,
      results: lines
        .map((_raw, index) => ({ _raw, _time: new Date(at + index).toISOString(), _indextime: '1' }))
        .toReversed(),
    }),
  OpenTelemetry: (lines) =>
    `${JSON.stringify({
      resourceLogs: [
        {
          resource: { attributes: [] },
          scopeLogs: [
            {
              scope: {},
              logRecords: lines.map((line, index) => ({
                timeUnixNano: `${at + index}000000`,
                severityText: 'INFO',
                body: { stringValue: line },
              })),
            },
          ],
        },
      ],
    })}\n`,
  "a container's file in Kubernetes": (lines) => lines.map((line) => `${time} stdout F ${line}\n`).join(''),
  "a container's file in Kubernetes, in pieces": (lines) =>
    lines
      .flatMap((line) =>
        pieces(line, 300).map(
          (piece, index, all) => `${time} stdout ${index === all.length - 1 ? 'F' : 'P'} ${piece}\n`,
        ),
      )
      .join(''),
};
/** Indented documents, each of their lines after this. */
const indented =
  (before: (index: number) => string, isEach = true) =>
  (lines: readonly string[]): string => {
    let index = 0;
    const rows = lines.map((line) => JSON.stringify(JSON.parse(line), null, 2).split('\n'));
    return rows
      .map((document) =>
        document.map((row, place) => `${isEach || place === 0 ? before(++index) : ''}${row}\n`).join(''),
      )
      .join('noise\n');
  };
const stampAt = (index: number): string => new Date(at + index * 997).toISOString();
Object.assign(collected, {
  'gh run view --log': indented((index) => `build\tRun the agent\t${stampAt(index).replace('Z', '0000Z')} `),
  'docker compose logs': indented(() => 'agent-1  | '),
  'docker compose logs, in colours': indented(() => '\u001b[36magent-1  |\u001b[0m '),
  'journalctl, indented': indented((index) => `Mar 04 05:${String(10 + (index % 50))}:07 host agent[${900 + index}]: `),
  'kubectl logs --prefix': indented(() => '[pod/agent-5d9/agent] '),
  'aws logs tail': indented((index) => `${stampAt(index).replace('Z', '+00:00')} run/1/4f2a `),
  "a logger's first line": indented((index) => `[${stampAt(index)}] [INFO] `, false),
  "a logger's first line, without brackets": indented(
    (index) => `${stampAt(index).replace('T', ' ').replace('Z', '')} - INFO - `,
    false,
  ),
  'a word before each document': indented(() => 'Result: ', false),
  "klog's first line": indented((index) => `I1101 10:00:01.${100_000 + index}       1 agent.go:12] `, false),
  'a line of syslog before each document': indented((index) => `<14>1 ${stampAt(index)} host agent 1 - - `, false),
  Buildkite: indented((index) => `\u001b_bk;t=${at + index}\u0007`),
  'cat -n': indented((index) => `${String(index).padStart(6)}\t`),
  'Google Cloud, structured, indented': (lines: readonly string[]) =>
    lines
      .flatMap((line) => JSON.stringify(JSON.parse(line), null, 2).split('\n'))
      .map((message) => `${JSON.stringify({ severity: 'INFO', message, time })}\n`)
      .join(''),
  'logcli, indented': indented((index) => `${stampAt(index)} {app="agent", stream="stdout"} `),
  'docker compose logs, each line in colours': (lines: readonly string[]) =>
    lines.map((line) => `\u001b[36magent-1  |\u001b[0m ${line}\u001b[39m\n`).join(''),
  'CSV, indented': (lines: readonly string[]) =>
    [
      'Date,Host,Message',
      ...lines
        .flatMap((line) => JSON.stringify(JSON.parse(line), null, 2).split('\n'))
        .map((row) => `${time},ci,"${row.replaceAll('"', '""')}"`),
    ]
      .map((row) => `${row}\n`)
      .join(''),
  'logfmt, indented': (lines: readonly string[]) =>
    lines
      .flatMap((line) => JSON.stringify(JSON.parse(line), null, 2).split('\n'))
      .map((row) => `time=${time} level=INFO msg=${JSON.stringify(row)}\n`)
      .join(''),
  "GitLab's job log, in pieces": (lines: readonly string[]) =>
    [
      `${time} 00O section_start:1700000000:step\n`,
      ...lines.flatMap((line) =>
        pieces(line, 300).map((piece, index) => `${time} 01O${index === 0 ? ' ' : '+'}${piece}\n`),
      ),
    ].join(''),
  "CircleCI's API": (lines: readonly string[]) =>
    JSON.stringify(
      pieces(`$ agent\r\n${lines.join('\r\n')}\r\n`, 500).map((message) => ({
        message,
        time,
        type: 'out',
        truncated: false,
      })),
    ),
  "TeamCity's messages": (lines: readonly string[]) =>
    lines.map((line) => `##teamcity[message text='${line.replace(/[|'[\]]/g, '|$&')}' status='NORMAL']\n`).join(''),
  'Google Cloud, as YAML': (lines: readonly string[]) =>
    lines
      .map((line) => `---\ninsertId: a\ntextPayload: '${line.replaceAll("'", "''")}'\ntimestamp: '${time}'\n`)
      .join(''),
  structlog: each((event) => ({ event, level: 'info', timestamp: time })),
  Loguru: each((message) => ({ text: `INFO ${message}\n`, record: { message, level: { name: 'INFO' } } })),
  'Google Cloud, structured': each((message) => ({ severity: 'INFO', message, time })),
  winston: each((message) => ({ level: 'info', message, timestamp: time })),
  pino: each((msg) => ({ level: 30, time: at, pid: 7, hostname: 'ci', msg })),
  'CSV, exported': (lines: readonly string[]) =>
    ['timestamp,message', ...lines.map((line) => `${time},"${line.replaceAll('"', '""')}"`)]
      .map((row) => `${row}\r\n`)
      .join(''),
  'CSV, with the line feed of each line': (lines: readonly string[]) =>
    ['"@timestamp","@message","@ptr"', ...lines.map((line) => `"${time}","${line.replaceAll('"', '""')}\n","x"`)]
      .map((row) => `${row}\n`)
      .join(''),
});

const escaped = (line: string): string => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const rows = (before: string): Record<string, (lines: readonly string[]) => string> => ({
  'a list, one object a line': (lines) => `${before}[\n${lines.map((line) => before + line).join(',\n')}\n${before}]\n`,
  'a list, one object a line, indented': (lines) =>
    `${before}[\n${lines.map((line) => `${before}  ${line}`).join(',\n')}\n${before}]\n`,
});
for (const before of ['', 'agent-1  | '])
  for (const [name, wrap] of Object.entries(rows(before)))
    collected[before === '' ? name : `docker compose logs: ${name}`] = wrap;
Object.assign(collected, {
  'a list, its first object beside the bracket': (lines: readonly string[]) => `[${lines.join(',\n')}]\n`,
  'a list, commas first': (lines: readonly string[]) => `[\n${lines.join('\n, ')}\n]`,
  'the tail of a list': (lines: readonly string[]) => `${lines.join(',\n')}\n]\n`,
  "Datadog's records without a type": each((message) => ({ id: 'a', attributes: { message, service: 'ci' } })),
  "Datadog's records, taken apart": each((line) => ({
    id: 'a',
    attributes: { timestamp: time, message: 'agent', attributes: JSON.parse(line) as object },
  })),
  "Datadog's first records, a line each": each((message) => ({ id: 'a', content: { timestamp: time, message } })),
  "Datadog's records as a list": (lines: readonly string[]) =>
    JSON.stringify(
      lines.map((message) => ({ id: 'a', attributes: { timestamp: time, message } })),
      null,
      2,
    ),
  'a page': (lines: readonly string[]) =>
    `<html><body><pre>${lines.map((line) => escaped(line).replaceAll('"', '&quot;')).join('\n')}\n</pre></body></html>`,
  'a page, with numbers for quotes': (lines: readonly string[]) =>
    `<pre class="log">\n${lines.map((line) => escaped(line).replaceAll('"', '&#34;').replaceAll("'", '&#x27;')).join('<br>\n')}\n</pre>`,
  'a page, quotes as they are': (lines: readonly string[]) =>
    `<!doctype html>\n<pre>\n${lines.map((line) => escaped(line)).join('\n')}\n</pre>\n`,
  'a page, a line in each element': (lines: readonly string[]) =>
    `<pre>${lines.map((line) => `<span id="L1">${escaped(line).replaceAll('"', '&quot;')}</span>`).join('\n')}</pre>`,
  'JSON strings': (lines: readonly string[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  'JSON strings, with the line feed of each line': (lines: readonly string[]) =>
    lines.map((line) => `${JSON.stringify(`${line}\n`)}\n`).join(''),
  'JSON strings in JSON strings': (lines: readonly string[]) =>
    lines.map((line) => `${JSON.stringify(JSON.stringify(line))}\n`).join(''),
  'JSON strings in a list': (lines: readonly string[]) => JSON.stringify(lines, null, 2),
  'one JSON string': (lines: readonly string[]) => JSON.stringify(lines.join('\n')),
  logfmt: (lines: readonly string[]) =>
    lines.map((line) => `time=${time} level=info msg=${JSON.stringify(line)} stream=stdout\n`).join(''),
});

/** What breaks lines that are longer. */
for (const width of [80, 132])
  collected[`wrapped at column ${width}`] = (lines) => lines.flatMap((line) => pieces(line, width)).join('\n');

collected['wrapped at column 80 with CRLF'] = (lines) => lines.flatMap((line) => pieces(line, 80)).join('\r\n');

collected['wrapped at column 120, a time before each piece'] = (lines) =>
  lines.flatMap((line) => pieces(line, 120).map((piece) => `${time} ${piece}`)).join('\n');
collected['a time before each line, wrapped at column 120'] = (lines) =>
  lines.flatMap((line) => pieces(`[${time}] ${line}`, 120)).join('\n');

const essence = ({ verdict, message, metrics, tool_calls, artifacts, session_id }: RunOutcome): unknown => ({
  class: verdict.class,
  message,
  // How long they took is known where the collector says when.
  tool_calls: tool_calls.map(({ duration_ms: _took, ...call }) => call),
  artifacts,
  session_id,
  tokens: metrics.tokens_used,
  cost: metrics.cost,
  turns: metrics.turns,
});

const recordings: readonly (readonly [folder: string, scenario: string])[] = [
  ['codex@0.166.0', 'denied'],
  ['codex@0.166.0', 'error-401'],
  ['qwen@0.24.4', 'denied'],
  ['opencode@1.18.33', 'error-401'],
];

describe.each(Object.entries(collected))('a log kept by %s', (_name, wrap) => {
  it.each(recordings)('reads like the stream that it holds: %s %s', async (folder, scenario) => {
    const { stdout } = loadRecording(folder, scenario);
    const lines = Buffer.from(stdout)
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const bare = await fold([Buffer.from(lines.join('\n'))], { full: true });
    expect(bare.verdict.class).not.toBe('incomplete');
    expect(essence(await fold([Buffer.from(wrap(lines))], { full: true }))).toEqual(essence(bare));
  });
});

it('hears what a collector kept of stderr as stderr', async () => {
  const { stdout, stderr } = loadRecording('codex@0.166.0', 'error-401');
  const lines = (bytes: Uint8Array, stream: string): string =>
    Buffer.from(bytes)
      .toString()
      .split('\n')
      .map((line) => `${JSON.stringify({ log: `${line}\n`, stream, time })}\n`)
      .join('');
  const apart = await fold([stdout], { stderr: [stderr] });
  const together = await fold([Buffer.from(lines(stdout, 'stdout') + lines(stderr, 'stderr'))]);
  expect(together.verdict).toEqual(apart.verdict);
});

it('takes the times of a collector where the agent says none', async () => {
  const { stdout } = loadRecording('codex@0.166.0', 'denied');
  const log = Buffer.from(stdout)
    .toString()
    .trimEnd()
    .split('\n')
    .map(
      (line, index) =>
        `${JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: new Date(at + index * 1000).toISOString() })}\n`,
    );
  const { metrics } = await fold([Buffer.from(log.join(''))]);
  expect(metrics.duration_ms).toBe((log.length - 1) * 1000);
});

it('says what it was not able to join as it came', async () => {
  const { stdout } = loadRecording('codex@0.166.0', 'denied');
  const whole = Buffer.from(stdout).toString().replaceAll(/^/gm, `${time} `);
  for (const cut of ['{"type":"item.completed","item":{"text":"cut off here', '{"type":"item.completed",']) {
    const outcome = await fold([Buffer.from(`${time} ${cut}\n${time} and words\n${time} ${cut}\n${whole}`)], {
      full: true,
    });
    expect(essence(outcome)).toEqual(essence(await fold([stdout], { full: true })));
  }
});

it('reads lines of one length that are no pieces each by itself', async () => {
  const { stdout } = loadRecording('codex@0.166.0', 'denied');
  const cut = '{"type":"item.completed","item":{"text":"cut off here';
  const chatter = 'x'.repeat(cut.length);
  const outcome = await fold([Buffer.from(`${cut}\n${chatter}\n${cut}\n`), stdout]);
  expect(outcome.provenance.notes).toContainEqual({ kind: 'broken', what: 'line that is not JSON', count: 2, line: 1 });
  expect(essence(outcome)).toEqual(essence(await fold([stdout])));
});

it('keeps what was whole of a list that stops, and says that it stops', async () => {
  const { stdout } = loadRecording('codex@0.166.0', 'denied');
  const lines = Buffer.from(stdout).toString().trimEnd().split('\n');
  const { verdict, message } = await fold([Buffer.from(`[\n${lines.join(',\n')},\n`)]);
  expect({ class: verdict.class, message }).toEqual({
    class: 'incomplete',
    message: (await fold([stdout])).message,
  });
});

/** What a terminal shows of it, in pieces of a thousand characters. */
const shown = (lines: readonly string[]): string[] =>
  pieces(`$ agent\r\n${lines.join('\r\n')}\r\n\u001b[?2004h$ `, 1000);
const cast = (header: object, lines: readonly string[], second: (index: number) => number): string =>
  [header, ...shown(lines).map((piece, index) => [second(index), 'o', piece]), [99, 'i', 'exit']]
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
const recorded: Record<string, (lines: readonly string[]) => string> = {
  'version 1': (lines) =>
    JSON.stringify({ version: 1, width: 80, height: 24, stdout: shown(lines).map((piece) => [0.1, piece]) }),
  'version 2': (lines) => cast({ version: 2, width: 80, height: 24, timestamp: at / 1000 }, lines, (index) => index),
  'version 3': (lines) =>
    cast({ version: 3, term: { cols: 80, rows: 24 }, timestamp: at / 1000 }, lines, () => 1).replace(
      '\n',
      '\n# a comment\n',
    ),
  'without its beginning': (lines) => cast([0, 'r', '80x24'], lines, (index) => index),
};

it.each(Object.entries(recorded))("reads asciinema's recording of a terminal: %s", async (name, wrap) => {
  const { stdout } = loadRecording('codex@0.166.0', 'denied');
  const lines = Buffer.from(stdout).toString().trimEnd().split('\n');
  const document = loadRecording('gemini-json@0.61.0', 'plain').stdout;
  const itsLines = Buffer.from(document).toString().split('\n');
  for (const [bare, text] of [
    [stdout, wrap(lines)],
    [document, wrap(itsLines)],
  ] as const) {
    const outcome = await fold([Buffer.from(text)], { full: true });
    expect(essence(outcome)).toEqual(essence(await fold([bare], { full: true })));
    const isTimed = name === 'version 2' || name === 'version 3';
    expect(outcome.metrics.duration_ms === undefined).toBe(!isTimed);
  }
});

/** Code, or the half of it, in which no agent speaks. */
const code = [
  '{',
  '[',
  '  {',
  '[{',
  '{\r',
  '{\n  return 1;',
  '{\n  return 1;\n}',
  'function f() {\n  return {',
  '{ // comment',
  '[\n  1,\n  2,',
  '{\n  foo: bar,\n',
  '```json\n{\n  "a": 1,',
  '{\n  a\n}\n{',
];

it.each(code.flatMap((text) => ['', '\n'].map((end) => [`${text}${end}`])))(
  'takes %j for chatter, after a stream and before it',
  async (text) => {
    const { stdout } = loadRecording('codex@0.166.0', 'multi-tool');
    const expected = essence(await fold([stdout], { full: true }));
    expect(essence(await fold([stdout, Buffer.from(text)], { full: true }))).toEqual(expected);
    expect(essence(await fold([Buffer.from(`${text}\n`), stdout], { full: true }))).toEqual(expected);
  },
);

it.each(['{\n', '{\n  return 1;\n', '{ // comment\n'])('reads a document after %j', async (text) => {
  for (const folder of ['gemini-json@0.61.0', 'qwen-json@0.24.4']) {
    const { stdout } = loadRecording(folder, 'plain');
    const expected = essence(await fold([stdout]));
    expect(essence(await fold([Buffer.from(text), stdout]))).toEqual(expected);
    expect(essence(await fold([stdout, Buffer.from(`\n${text}`)]))).toEqual(expected);
  }
});

it('still says that a document, or a line, stops in the middle', async () => {
  const { stdout } = loadRecording('gemini-json@0.61.0', 'plain');
  const text = Buffer.from(stdout).toString();
  const classOf = async (log: string): Promise<string> => (await fold([Buffer.from(log)])).verdict.class;
  expect(await classOf(`${text}\n${text.slice(0, 200)}`)).toBe('incomplete');
  const lines = Buffer.from(loadRecording('codex@0.166.0', 'plain').stdout).toString();
  expect(await classOf(`${lines}{"type":"turn.sta`)).toBe('incomplete');
  expect(await classOf(`${lines}{"`)).toBe('incomplete');
});

it('takes a bracket before a stream for chatter', async () => {
  const { stdout } = loadRecording('codex@0.166.0', 'denied');
  expect(essence(await fold([Buffer.from('[\n'), stdout], { full: true }))).toEqual(
    essence(await fold([stdout], { full: true })),
  );
});

describe('the same stream twice in one log', () => {
  const { stdout } = loadRecording('codex@0.166.0', 'multi-tool');
  const text = Buffer.from(stdout).toString();
  const known = (outcome: RunOutcome): unknown => [essence(outcome), outcome.tool_calls.length];
  const notes = ({ provenance }: RunOutcome): string[] => provenance.notes.map(({ what }) => what);
  const copied = 'the same stream comes twice: read once';

  it('is read once where other text is between', async () => {
    const outcome = await fold([Buffer.from(`${text}$ cat output.jsonl\n${text}done\n`)]);
    expect(known(outcome)).toEqual(known(await fold([stdout])));
    expect(notes(outcome)).toEqual([copied]);
  });

  const result = { type: 'result', subtype: 'success', is_error: false, result: 'Done.', num_turns: 24 };
  const usage = { input_tokens: 100, output_tokens: 10 };
  it.each([
    ['claude', { ...result, session_id: 's-1', usage }],
    [
      'dexter',
      {
        type: 'done',
        answer: 'Done.',
        toolCalls: [],
        iterations: 1,
        totalTime: 5123,
        tokenUsage: { inputTokens: 100, outputTokens: 10 },
      },
    ],
  ])('is read once if it is one document: %s', async (_name, document) => {
    for (const print of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
      const once = await fold([Buffer.from(`${print}\n`)]);
      const twice = await fold([Buffer.from(`${print}\n$ cat output.json\n${print}\nok\n${print}\n`)]);
      expect([essence(twice), twice.metrics.input_tokens, twice.metrics.turns]).toEqual([
        essence(once),
        100,
        once.metrics.turns,
      ]);
      expect(notes(twice)).toContain(copied);
    }
  });

  it('is two runs if nothing tells one document from another that says the same', async () => {
    const { stdout: answer } = loadRecording('continue@1.5.47', 'plain');
    const twice = await fold([answer, Buffer.from('\nagain\n'), answer]);
    expect(notes(twice)).not.toContain(copied);
  });

  it('is two runs if the second goes on differently, or stops', async () => {
    const other = text.replaceAll('item_2', 'item_9');
    expect(notes(await fold([Buffer.from(`${text}again\n${other}`)]))).not.toContain(copied);
    const cut = text.slice(0, text.lastIndexOf('{"type":"turn.completed"'));
    expect((await fold([Buffer.from(`${text}again\n${cut}`)])).verdict.class).toBe('incomplete');
  });
});
