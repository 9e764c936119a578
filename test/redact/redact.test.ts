import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/event.ts';
import { hiderOf } from '../../src/builtin/tools/hide.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Cleaner } from '../../src/redact/cleaner.ts';
import { Finder } from '../../src/redact/finder.ts';
import { Redactor } from '../../src/redact/redactor.ts';
import { formsOf, secretValues } from '../../src/redact/secrets.ts';
import { withoutSecrets } from '../../src/redact/without-secrets.ts';
import { withoutPassword } from '../../src/redact/url-password.ts';
import { secretNamesShown } from '../../src/redact/shapes.ts';
import { loadRecording, scenariosOf, withOneLong } from '../support/recordings.ts';
import { body, folded, type Planted, plantedSecrets } from '../support/secrets.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { isSweep } from '../support/sweep.ts';
import { eventOf } from '../support/records.ts';

/** More runs on demand, as in robust.test.ts. */
const numRuns = fuzzRuns(isSweep ? 500 : 40);
const seed = fuzzSeed;

const values = [
  'correct horse "battery" staple',
  'Grüße/aus+München=1',
  "it's (a) <tag> & $more!",
  `${body(30)}\n${body(30, 'hex')}`,
  'aaaaaaaaaaab',
];

function clean(events: readonly AgentEvent[], redactor = new Redactor({ values })): AgentEvent[] {
  const out: AgentEvent[] = [];
  for (const event of events) redactor.push(event, false, (each) => void out.push(each));
  redactor.end((each) => void out.push(each));
  return out;
}

const cleaned = ({ name, secret, text }: Planted): string => text.replace(secret, () => `[redacted:${name}]`);

const strict = (value: string): string =>
  encodeURIComponent(value).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
const escaped = (each: string): string => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`;
const html = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const hexOf = (value: string, between: string): string =>
  Array.from(new TextEncoder().encode(value), (byte) => byte.toString(16).padStart(2, '0')).join(between);

const block = { turn_id: 'turn_1', message_id: 'message_1', block_id: 'block_1' };
const delta = (text: string): AgentEvent => ({ type: 'text.delta', ...block, text });
const completed = (text: string): AgentEvent => ({ type: 'text.completed', ...block, text });

/** The pieces of a text, cut at these places. */
function cut(text: string, places: readonly number[]): string[] {
  const sorted = [...new Set(places.map((place) => place % (text.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...sorted].map((from, i) => text.slice(from, sorted[i] ?? text.length));
}

function streamed(pieces: readonly string[], redactor?: Redactor): string {
  const out = clean(pieces.map(delta), redactor);
  return out.map((event) => (event.type === 'text.delta' ? event.text : '')).join('');
}

/** Every place where an agent's words end up. */
const places: Record<string, (text: string) => AgentEvent[]> = {
  task: (task) => [{ type: 'thread.started', task, session_id: 's', cwd: '/repo' }],
  prompt: (text) => [{ type: 'prompt.submitted', text }],
  text: (text) => [delta(text), completed(text)],
  reasoning: (text) => [
    { type: 'reasoning.delta', ...block, text },
    { type: 'reasoning.completed', ...block, text },
  ],
  'tool arguments': (text) => [
    { type: 'item.started', item_id: 'i', turn_id: 't', kind: 'tool_call', name: 'bash', args: { command: text } },
  ],
  'nested arguments': (text) => [
    {
      type: 'item.started',
      item_id: 'i',
      turn_id: 't',
      kind: 'mcp',
      name: 'call',
      args: { list: [1, { deep: [text, null] }] },
    },
  ],
  'object keys': (text) => [
    {
      type: 'item.started',
      item_id: 'i',
      turn_id: 't',
      kind: 'mcp',
      name: 'call',
      args: { [text]: true, [`${text} `]: false },
    },
  ],
  chunks: (chunk) => [{ type: 'item.output', item_id: 'i', stream: 'stdout', chunk }],
  output: (output) => [
    { type: 'item.completed', item_id: 'i', status: 'success', output: { stdout: output }, summary: output },
  ],
  'tool error': (error) => [{ type: 'item.completed', item_id: 'i', status: 'error', error }],
  diff: (text) => [
    { type: 'file.edited', path: 'a.env', operation: 'modified', diff: `@@ -1 +1 @@\n-old\n+${text}\n` },
  ],
  permission: (what) => [{ type: 'permission.requested', permission_id: 'p', what, pattern: what, title: what }],
  retry: (cause) => [{ type: 'retry.scheduled', cause }],
  error: (text) => [
    { type: 'error', scope: 'turn', code: 'auth', message: text, stack: `Error: ${text}\n    at main`, fatal: true },
  ],
  log: (text) => [{ type: 'log', stream: 'stderr', text }],
  'the last word': (message) => [{ type: 'agent.finished', status: 'ok', message }],
  'unknown line': (text) => [{ type: 'line.unknown', dialect: 'codex', wire: { type: 'new', [text]: { text } } }],
  evidence: (detail) => [
    {
      type: 'thread.completed',
      status: 'error',
      summary: detail,
      verdict: { class: 'provider', exit_code: 4, evidence: [{ signal: 'error', detail }] },
      final_report: { message: detail },
    },
  ],
};

it('knows at least 35 kinds, and plants one of each', () => {
  expect(secretNamesShown.length).toBeGreaterThan(35);
  expect([...new Set(['secret-value', ...plantedSecrets.map(({ name }) => name)])].toSorted()).toEqual(
    [...secretNamesShown].toSorted(),
  );
});

describe.each(plantedSecrets.map((planted, i) => ({ ...planted, title: `${planted.name} (${i})` })))(
  '$title',
  (planted) => {
    it('is replaced, and nothing else is', () => {
      for (const [before, after] of [
        ['', ''],
        ['Here: ', ', and more.'],
        ['"', '"'],
        ['(', ')'],
        ['\\n', '\\n'],
        ['@@ -1 +1 @@\n-', '\n'],
        ['@@ -1 +1 @@\\n+', '\\n'],
        ['\u001b[32m', '\u001b[0m'],
        ['日本語 ', ' ünd'],
      ] as const) {
        expect(new Redactor().text(`${before}${planted.text}${after}`)).toBe(`${before}${cleaned(planted)}${after}`);
      }
    });

    it('survives in no place', () => {
      for (const [place, events] of Object.entries(places)) {
        const out = JSON.stringify(clean(events(`see ${planted.text} there`)));
        const secret = JSON.stringify(planted.secret).slice(1, -1);
        expect({ place, found: out.includes(secret), marked: out.includes(`[redacted:${planted.name}]`) }).toEqual({
          place,
          found: false,
          marked: true,
        });
      }
    });

    it('is found wherever it is cut in two', () => {
      const text = `see ${planted.text} there`;
      const whole = new Redactor({ values }).text(text);
      const step = text.length < 160 ? 1 : 3;
      for (let place = 0; place <= text.length; place += step) expect(streamed(cut(text, [place]))).toBe(whole);
    });
  },
);

const filler = fc.oneof(
  fc.constantFrom(
    ' ',
    '\n',
    ' the token is ',
    'password=',
    '://',
    '-----',
    'sk-',
    ':AA',
    'Bearer ',
    '"api_key": "',
    'eyJ',
    'A',
    '.',
    '@',
    '日本',
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...'aA1-_./:=@ "\n'), maxLength: 40 }),
  fc.constantFrom(
    ...values,
    ...values.map((value) => value.slice(0, 7)),
    ...values.map((value) => btoa(encodeURIComponent(value))),
  ),
);
const anyText = fc
  .array(fc.oneof(filler, fc.constantFrom(...plantedSecrets.map(({ text }) => text))), { maxLength: 12 })
  .map((parts) => parts.join(''));
const cuts = fc.array(fc.nat(), { maxLength: 40 });

describe('a key of Azure that begins with anything', () => {
  const key = `${body(52, 'word', 77)}JQQJ99${body(18, 'word', 78)}AZDO${body(4)}`;

  it('is recognised by its signature', () => {
    expect(new Redactor().text(`see ${key}, ${body(76)}AZDO${body(4)}.`)).toBe(
      'see [redacted:azure-key], [redacted:azure-key].',
    );
  });

  it('is held back in pieces as soon as it looks like one', () => {
    for (let length = 1; length <= key.length; length += 1) {
      const pieces = cut(
        `see ${key} there`,
        Array.from({ length: 100 }, (_, i) => i * length),
      );
      expect(streamed(pieces)).toMatch(/^see \w{0,11}\[redacted:azure-key\] there$/);
    }
  });
});

describe('documents with fields that are secret whatever they hold', () => {
  it.each([
    [
      { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: '1' }] },
      { keys: [{ kty: 'oct', k: '[redacted:jwk-private]', kid: '1' }] },
    ],
    [
      { kind: 'Secret', data: { password: 'YQ==' }, stringData: { user: 'me' }, type: 'Opaque' },
      {
        kind: 'Secret',
        data: { password: '[redacted:kubernetes-secret]' },
        stringData: { user: '[redacted:kubernetes-secret]' },
        type: 'Opaque',
      },
    ],
    [
      { kind: 'ConfigMap', data: { level: 'YQ==' }, d: 'x' },
      { kind: 'ConfigMap', data: { level: 'YQ==' }, d: 'x' },
    ],
  ])('%j', (value, expected) => {
    expect(new Redactor().json(value)).toEqual(expected);
  });

  it('a Secret in a list or in a diff, line by line', () => {
    const entry = `pass: ${btoa('open sesame')}`;
    for (const lines of [
      ['items:', '- apiVersion: v1', '  data:', `    ${entry}`, '  kind: Secret', '  metadata:', '    name: db'],
      ['+apiVersion: v1', '+kind: Secret', '+data:', `+  ${entry}`, '+type: Opaque'],
    ]) {
      const redactor = new Redactor();
      const shown = lines.map((line) => redactor.line(line, 'stderr'));
      expect(shown).toEqual(lines.map((line) => (line.endsWith(entry) ? '[redacted:kubernetes-secret]' : line)));
    }
  });

  it('a Secret that is logged line by line, its kind before or after its data', () => {
    const entry = `  password: ${btoa('hunter22')}`;
    for (const lines of [
      ['apiVersion: v1', 'kind: Secret', 'data:', entry, 'type: Opaque'],
      ['apiVersion: v1', 'data:', entry, 'kind: Secret'],
    ]) {
      const redactor = new Redactor();
      expect(lines.map((line) => redactor.line(line, 'stderr'))).toEqual(
        lines.map((line) => (line === entry ? '[redacted:kubernetes-secret]' : line)),
      );
    }
    const map = ['kind: ConfigMap', 'data:', entry.replace('password', 'greeting')];
    const redactor = new Redactor();
    expect(map.map((line) => redactor.line(line, 'stderr'))).toEqual(map);
  });
});

describe('however a text is cut', () => {
  it('the cleaned deltas add up to the cleaned text', () => {
    fc.assert(
      fc.property(anyText, cuts, (text, where) => {
        const out = clean([...cut(text, where).map(delta), completed(text)]);
        const deltas = out.map((event) => (event.type === 'text.delta' ? event.text : '')).join('');
        expect(out.at(-1)).toEqual(completed(deltas));
        expect(deltas).toBe(new Redactor({ values }).text(text));
      }),
      { numRuns, seed },
    );
  });

  it('so do the chunks of a command, each stream by itself', () => {
    fc.assert(
      fc.property(anyText, anyText, cuts, (stdout, stderr, where) => {
        const chunks = [
          ...cut(stdout, where).map((chunk): AgentEvent => ({
            type: 'item.output',
            item_id: 'i',
            stream: 'stdout',
            chunk,
          })),
          ...cut(stderr, where).map((chunk): AgentEvent => ({
            type: 'item.output',
            item_id: 'i',
            stream: 'stderr',
            chunk,
          })),
        ].toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
        const raw = { stdout: '', stderr: '' };
        const got = { stdout: '', stderr: '' };
        for (const event of chunks) if (event.type === 'item.output') raw[event.stream as 'stdout'] += event.chunk;
        for (const event of clean(chunks))
          if (event.type === 'item.output') got[event.stream as 'stdout'] += event.chunk;
        const redactor = new Redactor({ values });
        expect(got).toEqual({ stdout: redactor.text(raw.stdout), stderr: redactor.text(raw.stderr) });
      }),
      { numRuns, seed },
    );
  });

  it('cleaning twice changes nothing more', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = new Redactor({ values }).text(text);
        expect(new Redactor({ values }).text(once)).toBe(once);
      }),
      { numRuns, seed },
    );
  });

  it.each([
    [
      'an endless private key',
      `${'-'.repeat(5)}BEGIN PRIVATE KEY${'-'.repeat(5)}\n${`${body(64)}\n`.repeat(5_000)}`,
      '[redacted:private-key]\n',
    ],
    ['an endless key', `sk-${body(300_000)}`, '[redacted:openai-key]'],
    ['half a token', `eyJ${body(300_000)}`, `eyJ${body(300_000)}`],
    ['dashes', '-'.repeat(300_000), '-'.repeat(300_000)],
    ['addresses', '://'.repeat(100_000), '://'.repeat(100_000)],
    ['half a long value', body(20_000).repeat(2), '[redacted:secret-value]'.repeat(10)],
  ])('little is held back: %s', (_, text, expected) => {
    const redactor = new Redactor({ values: [body(20_000)] });
    let out = '';
    let most = 0;
    const cleaner = new Cleaner(new Finder(formsOf(body(20_000))));
    for (let at = 0; at < text.length; at += 777) {
      out += cleaner.push(text.slice(at, at + 777));
      most = Math.max(most, cleaner.held);
    }
    expect(most).toBeLessThan(16_384);
    expect(out + cleaner.push('', true)).toBe(expected);
    expect(redactor.text(text)).toBe(expected);
  });
});

describe('colours of a terminal', () => {
  const secrets = [
    plantedSecrets[0]?.text ?? '',
    `${'gh'}p_${body(36)}`,
    `password=${'aB3$dE5gH7jK'}`,
    'correct horse "battery" staple',
  ];

  it.each(secrets)('do not hide what they stand in: %s', (text) => {
    const whole = new Redactor({ values }).text(text);
    for (let place = 3; place < text.length; place += 1) {
      const coloured = `see ${text.slice(0, place)}\u001b[01;31m\u001b[K${text.slice(place)}\u001b[m\u001b[K end`;
      const out = new Redactor({ values }).text(coloured);
      // eslint-disable-next-line no-control-regex -- colours
      expect(out.replaceAll(/\u001b\[[0-9;]*[mK]/g, '')).toBe(`see ${whole} end`);
      for (let cutAt = 5; cutAt < coloured.length; cutAt += 7) expect(streamed(cut(coloured, [cutAt]))).toBe(out);
    }
  });

  it('do not part a name and its value', () => {
    const secret = body(24);
    const jq = `\u001b[34;1m"api_key"\u001b[0m\u001b[1;39m:\u001b[0m \u001b[0;32m"${secret}"\u001b[0m`;
    expect(new Redactor().text(jq)).toBe(jq.replace(secret, '[redacted:assigned-secret]'));
    const grep = `\u001b[01;31m\u001b[Kgh${'p_'}${body(36)}\u001b[m\u001b[K`;
    expect(new Redactor().text(grep)).toBe('\u001b[01;31m\u001b[K[redacted:github-token]\u001b[m\u001b[K');
  });

  it('stay where nothing is secret', () => {
    const text = `\u001b[31mtok\u001b[0men \u001b[1mpassword\u001b[0m: \u001b[33mnone\u001b[0m sk-\u001b[K gh\u001b[0mp_ \u001b`;
    expect(new Redactor({ values }).text(text)).toBe(text);
    for (let place = 0; place < text.length; place += 1) expect(streamed(cut(text, [place]))).toBe(text);
  });
});

describe('ordinary text', () => {
  it('passes at once, as the very same events', () => {
    const events = 'I will look at the file, run the tests (all 42 of them) and fix `src/main.ts`; see example.com.'
      .split(/(?<= )/)
      .map(delta)
      .concat(completed('done'));
    const out: AgentEvent[] = [];
    const redactor = new Redactor({ values });
    for (const event of events) {
      redactor.push(event, false, (each) => void out.push(each));
      expect(out.at(-1)).toBe(event);
    }
    expect(out.length).toBe(events.length);
  });

  it('is held back only from where a secret may begin', () => {
    const pieces = ['my key is sk', '-proj', 'ects are fine, A', ' good day'];
    const out = clean(pieces.map(delta), new Redactor()).map((event) =>
      event.type === 'text.delta' ? event.text : '',
    );
    expect(out).toEqual(['my key is ', 'sk-projects are fine, ', 'A good day']);
  });

  it('keeps the order of events while something is held back', () => {
    const [half, rest] = cut(`key ${plantedSecrets[0]?.text} end`, [20]) as [string, string];
    const usage: AgentEvent = { type: 'usage.reported', scope: 'step', input_tokens: 1 };
    expect(clean([delta(half), usage, delta(rest), completed(half + rest)], new Redactor())).toEqual([
      delta('key '),
      usage,
      delta('[redacted:anthropic-key] end'),
      completed('key [redacted:anthropic-key] end'),
    ]);
  });

  it('lets go of what is held back when its block ends', () => {
    expect(clean([delta('a sk-'), completed('a sk-')])).toEqual([delta('a '), delta('sk-'), completed('a sk-')]);
  });

  it.each([
    ['a commit', 'commit 3f786850e387550fdab836ed7e6dc881de23001b', 'index 89e6c98..3f78685 100644'],
    ['a UUID', '550e8400-e29b-41d4-a716-446655440000', 'session 550e8400-e29b-41d4-a716-446655440000 token'],
    [
      'ids',
      'call_AbCdEf0123456789AbCdEf01',
      'toolu_01A09q90qw90lq917835lq9',
      'msg_bdrk_0123456789abcdefghij',
      'resp_68a1b2c3d4e5f60718293a4b5c6d7e8f',
    ],
    [
      'a masked key',
      'Incorrect API key provided: sk-rig*****0000',
      'sk-...abcd',
      'sk-rig-0000',
      'ghp_****',
      'Bearer ***',
    ],
    ['a picture', `data:image/png;base64,${body(4000)}/AIza+AKIA/${body(200)}==`],
    [
      'code',
      'const token = await getToken(process.env.GITHUB_TOKEN);',
      'password: z.string().min(12)',
      'apiKey: config.apiKey2,',
      'max_tokens: 4096, token_count=12',
      'tokens[token] = node.value2.text3',
      'the token is 3f786850e387550fdab836ed7e6dc881de23001b, the password is required',
      '<b>Password:</b> at-least-12-characters-1-digit',
      'api key - see docs/keys-2.md#section-3',
    ],
    [
      'a placeholder',
      'password=<your-password>',
      'api_key: "${API_KEY}"',
      'export OPENAI_API_KEY=xxxxxxxxxxxx',
      'token: "your-token-goes-here"',
    ],
    [
      'addresses',
      'https://example.com:8080/a@b',
      'git@github.com:org/repo.git',
      'http://localhost:3000?mail=a@b.c',
      'https://user@example.com',
      'mailto:a@b.c',
    ],
    ['a certificate', `-----BEGIN CERTIFICATE-----\n${body(64)}\n-----END CERTIFICATE-----`],
    [
      'a check for keys',
      'if (text.includes("-----BEGIN RSA PRIVATE KEY-----")) throw new Error("do not commit this");',
    ],
    [
      'prose',
      'Basic understanding of Bearer authentication; a task-sk-learn-based-approach1',
      'the secret is out: nothing2see',
      'a token: something-with-dashes',
    ],
    [
      'CSS and names',
      'sk-estimator-doc-link-container-1',
      'npm_config_registry_something_long_enough_here',
      'hf_transfer',
      'glass-house-with-a-long-name-1',
    ],
    ['a lock file', 'sha512-Ab1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3Ab1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aBcDe=='],
  ])('%s stays', (_, ...texts) => {
    const redactor = new Redactor({ values });
    expect(texts.map((text) => redactor.text(text))).toEqual(texts);
    expect(redactor.count).toBe(0);
  });

  it('files stay: locks, sources, minified scripts, source maps and pictures', () => {
    const root = join(import.meta.dirname, '..', '..');
    const scripts = [
      'diff/dist/diff.min.js',
      'marked/marked.min.js',
      'zod/v4/core/schemas.js',
      'playwright-core/ThirdPartyNotices.txt',
    ];
    const picture = Buffer.from(
      Array.from({ length: 60_000 }, (_, i) => (Math.imul(i + 1, 2654435761) >>> 13) & (i % 97 < 40 ? 0 : 255)),
    );
    const bundle = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.js'),
    );
    const texts = [
      readFileSync(join(root, 'package-lock.json'), 'utf8'),
      ...scripts
        .map((name) => join(root, 'node_modules', name))
        .flatMap((path) => (existsSync(path) ? [readFileSync(path, 'utf8')] : [])),
      ...bundle.map((name) => readFileSync(join(root, 'dist', name), 'utf8').replaceAll('user:password@', '')),
      `data:image/png;base64,${picture.toString('base64')}`,
      folded(picture.toString('latin1')),
    ];
    for (const text of texts) expect(new Redactor().text(text)).toBe(text);
  });

  it.each([
    [
      'flags and prose',
      'single-pass addInt32PrefixedString',
      'use --password to be asked',
      'docker run -u 1000:1000 -p 8080:80 img',
      'git push -u origin main',
    ],
    [
      'code',
      'var token = this$1$1.getToken();',
      'private_key = ed25519.Ed25519PrivateKey.generate()',
      '"s.getElementsByClassName2(a)"',
      'auth: basic.user2',
    ],
    [
      'settings beside their names',
      '{"name":"max_tokens","value":"4096"}',
      '{"name":"token","value":"none"}',
      '<add key="webpages:Version" value="3.0.0.0" />',
      "headers['x-api-key'] = config.apiKey2",
      'cache["token"] = await getToken(2)',
      '- name: API_TOKEN\n  valueFrom:\n    secretKeyRef: x1',
    ],
    [
      'flags of other programs',
      'grep -a S3samOpen1 file',
      'fold -w 80x2',
      'docker run -p 127.0.0.1:5432:5432 postgres',
      'redis-cli -a $PASS2',
      'ldapsearch -w ${LDAP2}',
      "s.replace(/a/, '$1$2$3')",
      'psk = getPsk2(a)',
      'tsc -p . && zip -r out2.zip .',
    ],
    ['cookies of no use to others', 'Set-Cookie: theme=dark; Path=/', 'Cookie: lang=en; theme=dark'],
    [
      'names',
      'EAAAA',
      'pat-na1-something',
      'live_updates_are_enabled',
      'sl.SomeLongPropertyName',
      'resource_id',
      'tr_prod_x',
      'LTAI',
    ],
    [
      'a public key',
      'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6',
      'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7',
    ],
    [
      'parameters of a query',
      'https://example.com/?key=value',
      'https://example.com/?code=200',
      '/cb?code=ERR_4012',
      '?a=1&key=userSettings2024v1',
      '?key=item-list-2024-01',
      '?key=550e8400-e29b-41d4-a716-446655440000',
      '?sig=none',
      '&hash=section-2',
      '?session=3',
      '?auth=basic',
      '?pass=true',
      'a&code=en-US-2020',
    ],
    [
      'settings about passwords',
      'session: 3',
      'salt: true',
      'salt: 12345',
      'XDG_SESSION_ID=c2',
      'password: required',
      'Password: String',
      'db_password = getPassword1()',
      'db_password: userPassword2',
      'my_pass = otherPass',
      'DB_PASSWORD: ${{ secrets.X2 }}',
      'DB_PASSWORD: string',
      'MIN_PASSWORD: 8',
      'DB_PASSWORD=$DB_PASS2',
      'OLD_PWD=/home/me2',
      'DB_PASSWORD: !vault',
      'the rootpw command is used',
      'ansible_become_pass: "{{ vault_pass }}"',
      'first_pass=true',
      'one_pass: 123',
    ],
    [
      'documents of other kinds',
      'apiVersion: v1\nkind: ConfigMap\ndata:\n  logo: aGVsbG8gd29ybGQ=\n  level: info\n',
      'apiVersion: v1\ndata:\n  logo: aGVsbG8gd29ybGQ=\n  a: b\nkind: ConfigMap\n',
      'kind: SecretStore\nspec:\n  data:\n    a: b\n',
      '{"apiVersion":"v1","data":{"a":"aGVsbG8gd29ybGQ="},"kind":"ConfigMap"}',
      '{"d":"some text","k":"v","p":5}',
      '{"d":"aVeryLongIdentifierWithoutAnyDigitsButManyLetters"}',
      '"d": "M10 20L30 40"',
    ],
    [
      'words that begin like a token',
      'mfa.enabled',
      'mfa.require_for_all_users_of_this_organisation_v2',
      'a dose of 5 mg',
      'GOOGLE_ANALYTICS_ID',
      'GOOGLEANALYTICSTRACKINGCODE',
      'sess-1',
      'cu_device_count',
      'bu_name',
      'perm:admin.read.write',
      'the AZDO signature',
      'JQQJ99',
    ],
    [
      'what stands near a secret of a new kind',
      'the xoxd- prefix of a cookie, xoxd-<your-cookie>',
      'config.mfa.required',
      'GOOG1EXAMPLE',
      'd: 2024-01-01',
      "d: 'M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2z'",
      '{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}',
      'x: f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      'to=https%3A%2F%2Fexample.com%2F%3Fcode%3D404%26key%3Dname',
      '\\u0026key=item-list-2024-01',
      'rootpw --lock',
      'ENV DB_PASSWORD $DB_PASS2',
      'ENV NODE_VERSION 24.1.0',
      'ENV DB_PASSWORD userPassword2',
      'setx API_TOKEN %TOKEN2%',
      '<password>required</password>',
      '<DB_PASSWORD>${env.PASS2}</DB_PASSWORD>',
      'DB_PASSWORD%3Drequired',
      'DB_PASSWORD_FILE=/run/secrets/db2',
      'RESET_PASSWORD: resetPassword',
      'CONFIRM_PASSWORD = confirmPassword',
      'CLIENT_SECRET: clientSecret2',
      'SESSION=1',
      'SALT_ROUNDS=10',
      'HMAC-SHA256: see RFC 2104',
      'PEPPER=black',
      'SERVICE_ROLE=read-only-2024',
      'DESKTOP_SESSION=gnome-classic-48',
      '/assets/EAAB2.js',
      'img\\/EAAAEAAAEAAAE1.png',
      'kubectl get secret db -o yaml > db2.yaml',
      `kubectl patch configmap a -p '{"data":{"level":"info"}}'`,
      'kind: "ConfigMap"\ndata:\n  logo: "aGVsbG8gd29ybGQ="\n',
    ],
    [
      'digests',
      'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'd41d8cd98f00b204e9800998ecf8427e-useful',
      'integrity: sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC',
    ],
  ])('%s stay', (_, ...texts) => {
    for (const text of texts) expect(new Redactor().text(text)).toBe(text);
  });

  it('objects without a secret stay the very same objects', () => {
    const args = {
      command: ['ls', '-la'],
      nested: { path: '/srv/src', token: 'short' },
      list: [{ a: 'long enough to be looked at' }],
    };
    expect(new Redactor({ values }).json(args)).toBe(args);
  });
});

const recordings = readdirSync(join(import.meta.dirname, '..', 'recordings')).flatMap((folder) =>
  scenariosOf(folder).map((scenario) => ({ name: `${folder}/${scenario}`, folder, scenario })),
);

/** Recorded texts that really hold a secret of a known shape: none, the recordings were made with `sk-rig-0000`. */
const recordedSecrets = 0;

describe('recordings pass unchanged', () => {
  it.each(withOneLong(recordings))('$name', ({ folder, scenario }) => {
    const recording = loadRecording(folder, scenario);
    const read = (redact?: Redactor) => {
      const texts = new Map<string, string>();
      const events: AgentEvent[] = [];
      const reader = new Reader({
        ...(redact === undefined ? {} : { redact }),
        onRecord(record) {
          const event = eventOf(record);
          // Where a piece ends may move; what the pieces say may not.
          if (event.type === 'text.delta' || event.type === 'reasoning.delta') {
            texts.set(event.block_id, (texts.get(event.block_id) ?? '') + event.text);
          } else if (event.type === 'item.output')
            texts.set(event.item_id, (texts.get(event.item_id) ?? '') + event.chunk);
          else events.push(event);
        },
      });
      reader.stdout(recording.stdout);
      reader.stderr(recording.stderr);
      return { events, texts, outcome: reader.end(recording.exit), notes: reader.notes };
    };
    const redactor = new Redactor();
    expect(read(redactor)).toEqual(read());
    expect(redactor.count).toBe(recordedSecrets);
  });
});

describe('fields with secret names', () => {
  it('are assignments', () => {
    const secret = body(24);
    const redactor = new Redactor();
    expect(
      redactor.json({
        apiKey: secret,
        'X-Api-Key': secret,
        id: secret,
        access_token: 'none',
        client_secret: ['a', 'b'],
      }),
    ).toEqual({
      apiKey: '[redacted:assigned-secret]',
      'X-Api-Key': '[redacted:assigned-secret]',
      id: secret,
      access_token: 'none',
      client_secret: ['a', 'b'],
    });
    expect(redactor.count).toBe(2);
  });

  it('may be named by another field', () => {
    const [one, other] = [body(24), body(25)];
    expect(
      new Redactor().json([
        { name: 'API_TOKEN', value: one },
        { Value: other, Key: 'DB_PASSWORD' },
        { name: 'sha', value: one },
      ]),
    ).toEqual([
      { name: 'API_TOKEN', value: '[redacted:assigned-secret]' },
      { Value: '[redacted:assigned-secret]', Key: 'DB_PASSWORD' },
      { name: 'sha', value: one },
    ]);
  });

  it('may hold a scheme, a cookie or a login', () => {
    const login = btoa('me:open sesame');
    expect(
      new Redactor().json({
        Authorization: `SSWS ${body(24)}`,
        'Set-Cookie': `sid=${body(24)}; Path=/`,
        auth: login,
        cookie: 'theme=dark',
      }),
    ).toEqual({
      Authorization: '[redacted:assigned-secret]',
      'Set-Cookie': '[redacted:cookie]',
      auth: '[redacted:basic-auth]',
      cookie: 'theme=dark',
    });
  });

  it('keep apart when the names themselves are secrets', () => {
    const [first, second] = [plantedSecrets[0]?.text ?? '', `${plantedSecrets[0]?.text ?? ''}x`];
    expect(new Redactor().json({ [first]: 1, [second]: 2, ['__proto__']: 3 })).toEqual(
      JSON.parse('{"[redacted:anthropic-key]":1,"[redacted:anthropic-key] 2":2,"__proto__":3}'),
    );
  });
});

describe('what is cut off', () => {
  it.each([
    ['a key at the end', `key ${'ghp'}_${body(12)}`, 'key [redacted:github-token]'],
    ['a key before dots', `key ${'sk'}-ant-api03-${body(12)}... more`, 'key [redacted:anthropic-key]... more'],
    ['a key before an ellipsis', `key ${'AK'}IA${body(10, 'upper')}… more`, 'key [redacted:aws-access-key-id]… more'],
    ['a prefix', 'a key begins with sk-ant-api03-', 'a key begins with sk-ant-api03-'],
    ['a masked key', 'sk-ant-api03-...wxyz', 'sk-ant-api03-...wxyz'],
    ['half a key in the midst of a text', `see ${'ghp'}_${body(12)} there`, `see ${'ghp'}_${body(12)} there`],
  ])('%s', (_, text, expected) => {
    expect(new Redactor().text(text)).toBe(expected);
    for (let place = 0; place <= text.length; place += 1)
      expect(streamed(cut(text, [place]), new Redactor())).toBe(expected);
  });

  it.each([
    ['the first line of a private key', (lines: string[]) => lines.slice(1)],
    ['half of it', (lines: string[]) => lines.slice(3)],
  ])('%s', (_, rest) => {
    const key = plantedSecrets.find(({ text }) => text.includes('RSA PRIVATE'))?.text ?? '';
    const lines = rest(key.split('\n'));
    const redactor = new Redactor();
    expect(redactor.json(`the end:\n${lines.join('\n')}\nand more`)).toBe(`the end:\n[redacted:private-key]\nand more`);
    expect(redactor.json(`${key}\n${key}`)).toBe('[redacted:private-key]\n[redacted:private-key]');
    expect(redactor.count).toBe(3);
  });
});

it('follows a private key that is logged line by line', () => {
  const log = (text: string): AgentEvent => ({ type: 'log', stream: 'stderr', text });
  const key = plantedSecrets.find(({ name }) => name === 'private-key')?.text ?? '';
  const lines = key.split('\n');
  expect(clean([...lines, 'next'].map(log))).toEqual([
    log(lines[0] ?? ''),
    ...lines.slice(1).map(() => log('[redacted:private-key]')),
    log('next'),
  ]);
});

it.each([
  ['- name: API_TOKEN', `  value: ${body(24)}`],
  ['"Key": "DB_PASSWORD",', `"Value": "${body(24)}"`],
  ['  <key>apiKey</key>', `  <string>${body(24)}</string>`],
])('follows a value that is logged on the line after its name: %s', (name, value) => {
  const log = (text: string): AgentEvent => ({ type: 'log', stream: 'stdout', text });
  expect(clean([name, value, value].map(log))).toEqual([log(name), log('[redacted:assigned-secret]'), log(value)]);
});

describe('secret values', () => {
  it('are those of variables with secret names, longest first', () => {
    expect(
      secretValues({
        OPENAI_API_KEY: 'rig-0000-key',
        GITHUB_TOKEN: 'abcdefgh',
        DB_PASSWORD: 'correct horse battery staple',
        dbPassword: 'lowercase-name',
        DATABASE_URL: 'postgres://a:b@c/d',
        SENTRY_DSN: 'https://0123456789abcdef@o1.ingest.sentry.io/1',
        SESSION_COOKIE: 'sid=42; path',
        EMPTY_TOKEN: '',
        UNSET_TOKEN: undefined,
        SHORT_TOKEN: 'abc',
        USE_TOKEN: 'disabled',
        TOKEN_LIMIT: '1234567890',
        MAX_TOKENS: '12345678',
        SSH_AUTH_SOCK: '/tmp/ssh-XXXX8a7b/agent.42',
        SSH_KEY_PATH: '/home/me/.ssh/id_ed25519',
        TLS_PRIVATE_KEY: '/etc/ssl/private/server.pem',
        GIT_AUTHOR_NAME: 'Somebody Else',
        AUTH_USER: 'somebody',
        USER: 'somebody',
        AUTH_METHOD: 'oauth-personal',
        AUTH_PROVIDER: 'github-enterprise',
        AUTH_URL: 'https://login.example.com/oauth',
        PATH: '/usr/bin:/bin',
        HOME: '/home/somebody',
        EDITOR: 'a-very-long-editor-name-42',
      }),
    ).toEqual([
      'https://0123456789abcdef@o1.ingest.sentry.io/1',
      'correct horse battery staple',
      'postgres://a:b@c/d',
      'lowercase-name',
      'rig-0000-key',
      'sid=42; path',
      'abcdefgh',
    ]);
  });

  it('are kept from commands, as is every variable that is named like one', () => {
    const name = fc.array(
      fc.constantFrom('API', 'key', 'Token', 'AUTH', 'PASS', 'session', 'ID', 'url', 'DB', 'FILE', 'path', '_', 'x'),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    const value = fc.oneof(fc.string({ maxLength: 30 }), fc.base64String({ minLength: 20, maxLength: 40 }));
    const variables = fc.dictionary(
      name.map((words) => words.join('')),
      value,
    );
    fc.assert(
      fc.property(variables, (env) => {
        const seen = withoutSecrets(env);
        expect(secretValues(seen)).toEqual([]);
        expect(Object.keys(seen).filter((each) => /KEY|TOKEN|_PASS$|_AUTH$|^AUTH_/i.test(each))).toEqual([]);
        expect(Object.entries(seen).filter(([each, said]) => env[each] !== said)).toEqual([]);
      }),
    );
  });

  it('are kept from commands whatever their names', () => {
    const kept = {
      PATH: '/bin',
      LANG: 'C',
      COMMIT: '3f786850e387550fdab836ed7e6dc881de23001b',
      GIT_AUTHOR_NAME: 'me',
      PWD: '/srv',
      SSH_AUTH_SOCK: '/tmp/s',
    };
    const texts = Object.fromEntries(plantedSecrets.map(({ text }, i) => [`PLAIN_${i}`, text]));
    expect(
      withoutSecrets({
        ...kept,
        ...texts,
        GH_PAT: 'short',
        DOCKER_AUTH_CONFIG: '{"auths":{}}',
        SLACK_WEBHOOK_URL: 'https://hooks.slack.com/services/x',
        ALERTS: `https://hooks.slack.com/services/T${body(8, 'upper')}/B${body(8, 'upper')}/${body(24)}`,
        MIRROR: 'https://me:hunter2@example.com',
        TEAM_CREDS: 'some',
      }),
    ).toEqual(kept);
  });

  it.each([
    ['CONN_STR', 'Server=db;User Id=sa;Password=sesame'],
    ['ORDERS_DB', 'Server=db;User Id=sa;Pwd="open sesame";Encrypt=true'],
    ['AZURE_SQL_CONNSTR', 'anything'],
    ['BUNDLE_GEMS__EXAMPLE__COM', 'me:sesame'],
    ['SEED_PHRASE', 'legal winner thank year'],
    ['WALLET_MNEMONIC', 'legal winner thank year'],
    ['STRIPE_SK', 'short'],
    ['JWT', 'short'],
    ['CI_JOB_JWT_V2', 'short'],
    ['OTP', '123456'],
    ['NPM_CONFIG_OTP', '123456'],
    ['KUBECONFIG_DATA', 'short'],
    ['KUBE_CONFIG_B64', 'short'],
    ['CLUSTER', btoa(`apiVersion: v1\nusers:\n- user:\n    token: ${body(40)}\n`)],
    ['ACCOUNT', btoa(JSON.stringify({ client_id: 'x', client_secret: body(40) }))],
    ['MODEL_SERVER', `https://example.com/v1?key=${body(12)}`],
  ])('are kept from commands by name or by shape: %s', (name, value) => {
    expect(withoutSecrets({ [name]: value })).toEqual({});
  });

  it.each([
    'SSHPASS',
    'DBPASS',
    'SMTPPASS',
    'MY_HMAC',
    'HMAC',
    'SESSION',
    'AWS_SESSION',
    'STRING_SESSION',
    'SALT',
    'HASH_SALT',
    'PEPPER',
    'SUPABASE_SERVICE_ROLE',
    'SERVICE_ROLE',
    'LDAP_BINDPW',
    'ROOTPW',
  ])('are kept from commands by the name %s', (name) => {
    expect(withoutSecrets({ PATH: '/bin', [name]: 'plain words' })).toEqual({ PATH: '/bin' });
  });

  it('leave what only looks alike', () => {
    const kept = {
      BUNDLE_PATH: '/srv/gems',
      BUNDLE_BUILD__NOKOGIRI: '--use-system-libraries',
      KUBECONFIG: '/home/me/.kube/config',
      PHRASE: 'a; b = c',
      SKIP: '1',
      OPTIONS: 'x:y',
      XDG_SESSION_ID: 'c2',
      XDG_SESSION_TYPE: 'tty',
      DESKTOP_SESSION: 'plasma',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus',
      SESSION_MANAGER: 'local/host:@/tmp/.ICE-unix/1',
      GIT_ASKPASS: '/usr/bin/askpass',
      SSH_ASKPASS: '/usr/bin/askpass',
      COMPASS: 'north',
      SALTED: 'peanuts',
      LONG: btoa('nothing is secret in this sentence, it is only long'),
    };
    expect(withoutSecrets(kept)).toEqual(kept);
  });

  it('are found in connection strings and in the queries of addresses', () => {
    expect(
      secretValues({
        ORDERS: 'Server=db;Password=open sesame;',
        PLACE: 'https://example.com/v1?v=2&api_key=easy%20to%20say',
      }),
    ).toEqual(['easy%20to%20say', 'easy to say', 'open sesame']);
  });

  it.each([
    ['https://h/v1?api_key=abc&v=2', 'https://h/v1?api_key=***&v=***'],
    ['ftp://me:abc@h/v1?key=a=b#abc', 'ftp://***@h/v1?key=***#***'],
    ['nonsense?abc', 'nonsense?***'],
    ['http://h/v1', 'http://h/v1'],
  ])('are not told with an address: %s', (address, told) => {
    expect(withoutPassword(address)).toBe(told);
  });

  it('leave the configuration of git whole, or leave it out', () => {
    const pairs = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.pager', GIT_CONFIG_VALUE_0: 'cat' };
    expect(withoutSecrets(pairs)).toEqual(pairs);
    const header = `AUTHORIZATION: basic ${btoa('x-access-token:abc123')}`;
    expect(
      withoutSecrets({
        ...pairs,
        GIT_CONFIG_COUNT: '2',
        GIT_CONFIG_KEY_1: 'http.extraheader',
        GIT_CONFIG_VALUE_1: header,
      }),
    ).toEqual({});
  });

  it.each([
    ['as it is', (value: string) => value],
    ['in JSON', (value: string) => JSON.stringify(value).slice(1, -1)],
    ['in a URL', (value: string) => encodeURIComponent(value)],
    ['in a form', (value: string) => encodeURIComponent(value).replaceAll('%20', '+')],
    [
      'in a URL with small digits',
      (value: string) => encodeURIComponent(value).replaceAll(/%../g, (each) => each.toLowerCase()),
    ],
    ['in a path', (value: string) => encodeURIComponent(value).replaceAll('%2F', '/')],
    ['in a strict URL', (value: string) => strict(value)],
    [
      'in a strict URL with small digits',
      (value: string) => strict(value).replaceAll(/%../g, (each) => each.toLowerCase()),
    ],
    ['in a strict path', (value: string) => strict(value).replaceAll('%2F', '/')],
    ['in a URL within a URL', (value: string) => encodeURIComponent(encodeURIComponent(value))],
    ['in JSON within JSON', (value: string) => JSON.stringify(JSON.stringify(value)).slice(3, -3)],
    [
      'in JSON within JSON within JSON',
      (value: string) => JSON.stringify(JSON.stringify(JSON.stringify(value))).slice(7, -7),
    ],
    [
      'in ASCII JSON',
      (value: string) =>
        JSON.stringify(value)
          .slice(1, -1)
          .replaceAll(/[^ -~]/g, escaped),
    ],
    ['in single quotes of a shell', (value: string) => value.replaceAll("'", String.raw`'\''`)],
    ['in two kinds of quotes of a shell', (value: string) => value.replaceAll("'", `'"'"'`)],
    ['in double quotes of a shell', (value: string) => value.replaceAll(/["$`\\]/g, String.raw`\$&`)],
    ['with backslashes of a shell', (value: string) => value.replaceAll(/[ !"$&'()*;<>?[\]^`{|}~]/g, String.raw`\$&`)],
    ['in HTML', (value: string) => html(value).replaceAll("'", '&#39;')],
    ['in HTML, quoted by digits', (value: string) => html(value).replaceAll("'", '&#x27;')],
    ['in XML', (value: string) => html(value).replaceAll("'", '&apos;')],
    ['in HTML, between tags', (value: string) => html(value).replaceAll('&quot;', '"')],
    ['as bytes', (value: string) => hexOf(value, ' ')],
    ['as bytes with colons', (value: string) => hexOf(value, ':')],
    ['as capital bytes', (value: string) => hexOf(value, ' ').toUpperCase()],
    ['as capital bytes with colons', (value: string) => hexOf(value, ':').toUpperCase()],
    ['as escaped bytes', (value: string) => hexOf(value, '\\x')],
    ['as a list of bytes', (value: string) => hexOf(value, ', 0x')],
  ])('are found %s', (_, form) => {
    const redactor = new Redactor({ values });
    for (const value of values) expect(redactor.text(`a ${form(value)}b`)).toBe('a [redacted:secret-value]b');
    expect(redactor.count).toBe(values.length);
  });

  it.each(['', 'x', 'xy', 'user:', 'a longer prefix:'])('are found in base64 behind "%s"', (before) => {
    for (const value of values) {
      const base64 = Buffer.from(`${before}${value} and more`).toString('base64');
      const found = new Redactor({ values }).text(base64);
      const url = Buffer.from(`${before}${value} and more`).toString('base64url');
      expect(found).toMatch(/^[\w+/]{0,24}\[redacted:secret-value\][\w+/]{8,14}=*$/);
      expect(new Redactor({ values }).text(url)).toMatch(/^[\w-]{0,24}\[redacted:secret-value\][\w-]{8,14}$/);
    }
  });

  it.each([
    ['in base 16', (value: string) => Buffer.from(value).toString('hex')],
    ['in base 16, capital', (value: string) => Buffer.from(value).toString('hex').toUpperCase()],
    [
      'in base 16, folded',
      (value: string) =>
        (
          Buffer.from(value)
            .toString('hex')
            .match(/.{1,60}/g) ?? []
        ).join('\n'),
    ],
    ['in folded base64', (value: string) => folded(`user:${value}`, 64)],
    ['in folded base64 inside of JSON', (value: string) => folded(`user:${value}`, 64).replaceAll('\n', '\\n')],
  ])('are found %s', (_, form) => {
    for (const secret of ['correct horse battery staple, and so on and so on', body(60)]) {
      const out = new Redactor({ values: [secret] }).text(`a ${form(secret)} b`);
      expect(out).toContain('[redacted:secret-value]');
      expect(out.replace('[redacted:secret-value]', '').length).toBeLessThan(20);
      expect(streamed(cut(`a ${form(secret)} b`, [11, 40, 77]), new Redactor({ values: [secret] }))).toBe(out);
    }
  });

  it('are found line by line', () => {
    const pem = plantedSecrets.find(({ text }) => text.includes('RSA PRIVATE'))?.text ?? '';
    const redactor = new Redactor({ values: ['first line of it\nand a second line', pem] });
    expect(redactor.text('2: and a second line;')).toBe('2: [redacted:secret-value];');
    for (const line of pem.split('\n').slice(1, -1))
      expect(redactor.text(`> ${line}`)).toBe('> [redacted:secret-value]');
  });

  it('are found inside of a JSON document', () => {
    const login = btoa('me:open sesame 42');
    const redactor = new Redactor({
      values: [
        JSON.stringify({ type: 'service_account', client_secret: 'an easy one', auths: { 'r.io': { auth: login } } }),
      ],
    });
    expect(redactor.text(`service_account: an easy one, ${login}, open sesame 42`)).toBe(
      'service_account: [redacted:secret-value], [redacted:secret-value], [redacted:secret-value]',
    );
  });

  it.each([
    ['$ecret-word', true],
    ['$2b$12$abcdefgh', true],
    ['${OTHER_NAME}', false],
    ['$OTHER_NAME', false],
  ])('may begin with a dollar sign: %s', (value, isSecret) => {
    expect(secretValues({ MY_PASSWORD: value })).toEqual(isSecret ? [value] : []);
  });

  it('are passwords in any address', () => {
    expect(
      secretValues({
        OPENAI_BASE_URL: 'https://me:open%20sesame@example.com/v1',
        PLACE: `https://${body(24)}@example.com`,
      }),
    ).toEqual([body(24), 'open%20sesame', 'open sesame']);
  });

  it('are found where a text was cut', () => {
    const redactor = new Redactor({ values: [body(40), `https://me:${body(20)}@example.com`] });
    expect(redactor.text(`it is ${body(40).slice(0, 25)}`)).toBe('it is [redacted:secret-value]');
    expect(redactor.text(`it is ${body(40).slice(0, 25)}… and`)).toBe('it is [redacted:secret-value]… and');
    expect(redactor.text('see https://')).toBe('see https://');
    expect(redactor.text(`it is ${body(40).slice(0, 25)} and`)).toBe(`it is ${body(40).slice(0, 25)} and`);
  });

  it('never break our own words', () => {
    const redactor = new Redactor({ values: ['redacted', 'tool_call', 'item.started', 'incomplete'] });
    const event: AgentEvent = {
      type: 'item.started',
      item_id: 'i',
      turn_id: 't',
      kind: 'tool_call',
      name: 'bash',
      args: plantedSecrets[0]?.text ?? '',
    };
    expect(clean([event], redactor)).toEqual([{ ...event, args: '[redacted:anthropic-key]' }]);
  });
});

describe('what tools answer to the model', () => {
  const token = `${'gh'}p_${body(36)}`;
  const config = `[remote "origin"]\n\turl = https://me:${token}@github.com/o/r\n\textraheader = AUTHORIZATION: basic ${btoa('x:abc123def')}\n`;
  const hide = hiderOf(new Redactor({ values: ['correct horse battery'] }));

  it.each([
    ['read', '.git/config'],
    ['bash', 'cat .git/config'],
    ['grep', 'url'],
  ])('%s of %s has no credentials of git', (tool, subject) => {
    const out = hide(config, tool, subject);
    expect(out).not.toContain(body(36));
    expect(out).not.toContain(btoa('x:abc123def'));
    expect(out).toContain('[remote "origin"]');
  });

  it('has no known value, whatever the tool', () => {
    for (const tool of ['read', 'bash', 'grep', 'fetch', 'mcp__a__b'])
      expect(hide('it is "correct horse battery"', tool, 'a.ts')).toBe('it is "[redacted:secret-value]"');
  });

  it('leaves sources as they are, so that they can be edited', () => {
    const source = `const url = 'postgres://test:test@localhost/test'; const key = '${token}';`;
    expect(hide(source, 'read', 'src/a.ts')).toBe(source);
  });
});

describe('in the pipeline', () => {
  const secret = plantedSecrets[0]?.text ?? '';
  const lines = [
    { type: 'thread.started', thread_id: secret },
    { type: 'turn.started' },
    { type: secret, note: secret },
    { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: `the key is ${secret}` } },
    { type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
  ];
  const bytes = new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

  it('nothing that comes out holds the secret, and the outcome counts it', () => {
    const out: unknown[] = [];
    const reader = new Reader({
      redact: new Redactor(),
      metadata: { initial_prompt: `use ${secret}` },
      onRecord: (record) => void out.push(record),
    });
    reader.stdout(bytes);
    reader.stderr(new TextEncoder().encode(`warning: ${secret}\n`));
    const outcome = reader.end({ exit_code: 0, signal: null });
    expect(JSON.stringify([out, outcome, reader.notes])).not.toContain(secret.slice(12));
    expect(outcome.message).toBe('the key is [redacted:anthropic-key]');
    expect(outcome.metadata.initial_prompt).toBe('use [redacted:anthropic-key]');
    expect(outcome.provenance.redactions).toBe(7);
  });

  it('nothing is counted where nothing is redacted', () => {
    const reader = new Reader({ redact: new Redactor() });
    reader.stdout(new TextEncoder().encode(`${JSON.stringify({ type: 'thread.started', thread_id: 't' })}\n`));
    expect(reader.end().provenance).not.toHaveProperty('redactions');
  });
});

it.runIf(isSweep)('prints what it costs beside JSON.stringify', () => {
  const events: AgentEvent[] = [];
  for (const { folder, scenario } of recordings) {
    const reader = new Reader({ onRecord: (record) => void events.push(eventOf(record)) });
    reader.stdout(loadRecording(folder, scenario).stdout);
    reader.end();
  }
  const best = (work: () => void): number =>
    Math.min(
      ...Array.from({ length: 8 }, () => {
        const start = performance.now();
        work();
        return performance.now() - start;
      }),
    );
  let characters = 0;
  const stringify = best(() => {
    characters = 0;
    for (const event of events) characters += JSON.stringify(event).length;
  });
  const redactor = new Redactor({ values });
  let passed = 0;
  const redact = best(() => {
    passed = 0;
    for (const event of events) redactor.push(event, false, () => void (passed += 1));
  });
  console.log(
    `redaction: ${(characters / 1000 / redact).toFixed(0)} MB/s, ${(redact / stringify).toFixed(2)} times JSON.stringify, ${events.length} events`,
  );
  expect(passed).toBeGreaterThan(0);
});

describe('a tape, or an agent that speaks like one,', () => {
  const place = {
    turn_id: 't',
    message_id: 'm',
    block_id: 'b',
    thread_id: 'x',
    timestamp: null,
    source: 'agent',
  } as const;
  const told = (lines: readonly object[]): AgentEvent[] => {
    const records: AgentEvent[] = [];
    const reader = new Reader({ redact: new Redactor({ values }), onRecord: (record) => void records.push(record) });
    const numbered = lines.map((line, index) => JSON.stringify({ ...place, ...line, sequence: index + 1 }));
    reader.stdout(Buffer.from(`${numbered.join('\n')}\n`));
    reader.end();
    return records;
  };
  const said = (records: readonly AgentEvent[]): string[] =>
    records.flatMap((record) =>
      record.type === 'text.delta' || record.type === 'text.completed' ? [record.text] : [],
    );
  const [secret = ''] = values;
  const [first, second] = [secret.slice(0, 9), secret.slice(9)];

  it.each([
    ['deltas that claim to be made from a whole text', true],
    ['deltas', false],
  ])('hides no secret between two %s', (_, synthetic) => {
    const records = told([
      { type: 'text.delta', text: first, synthetic },
      { type: 'text.delta', text: second, synthetic },
      { type: 'text.completed', text: secret, synthetic: false },
    ]);
    expect(said(records).join('')).not.toContain(second);
  });

  it('keeps the one delta of a whole text, however it ends', () => {
    const text = 'the first words -us';
    const records = told([
      { type: 'text.delta', text, synthetic: true },
      { type: 'text.completed', text, synthetic: false },
    ]);
    expect(said(records)).toEqual([text, text]);
  });
});
