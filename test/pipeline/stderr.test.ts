import { describe, expect, it } from 'vitest';
import { codeOfMessage } from '../../src/outcome/faults.ts';
import { findDialect } from '../../src/dialects/registry.ts';
import type { EventRecord } from '../../src/events/event.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Redactor } from '../../src/redact/redactor.ts';
import { body } from '../support/secrets.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

/** What is kept of stderr, and the outcome of a process that failed without another word. */
function crash(stderr: readonly string[], { dialect = 'codex', redact = false, isHeard = true } = {}) {
  const logs: string[] = [];
  const onRecord = (record: EventRecord): void => void (record.type === 'log' && logs.push(record.text));
  const reader = new Reader({
    ...(isHeard ? { onRecord } : {}),
    ...(dialect === '' ? {} : { dialect: findDialect(dialect) }),
    ...(redact ? { redact: new Redactor() } : {}),
  });
  reader.stderr(bytes(stderr.map((line) => `${line}\n`).join('')));
  const outcome = reader.end({ exit_code: 1, signal: null });
  const evidence = outcome.verdict.evidence.find(({ signal }) => signal === 'stderr')?.detail;
  return { logs, evidence, outcome };
}

describe('of a long stderr', () => {
  it('the first and the last lines are kept, and how many are not', () => {
    expect(crash(numbered(1, 1000)).logs).toEqual([...numbered(1, 200), '[… 750 lines …]', ...numbered(951, 1000)]);
  });

  it('nothing is left out that fits', () => {
    expect(crash(numbered(1, 250)).logs).toEqual(numbered(1, 250));
  });

  it('the same is kept while nobody knows the dialect', () => {
    expect(crash(numbered(1, 1000), { dialect: '' }).logs).toEqual([
      ...numbered(1, 200),
      '[… 750 lines …]',
      ...numbered(951, 1000),
    ]);
  });

  it.each([
    ['live', true],
    ['stored', false],
  ])('a private key is never shown in part, however much of it is left out: %s', (_how, isHeard) => {
    const key = Array.from({ length: 120 }, (_, index) => body(64, 'word', index + 1));
    const printed = [...numbered(1, 190), `${'-'.repeat(5)}BEGIN RSA PRIVATE KEY${'-'.repeat(5)}`, ...key];
    const told = crash(printed, { redact: true, isHeard });
    const shown = JSON.stringify(told);
    expect(key.filter((line) => shown.includes(line))).toEqual([]);
    const late = crash([...numbered(1, 300), ...printed.slice(190)], { redact: true, isHeard });
    expect(key.filter((line) => JSON.stringify(late).includes(line))).toEqual([]);
  });
});

describe('the evidence of an unexplained failure', () => {
  it('is how stderr ends', () => {
    expect(crash([...numbered(1, 300), 'TypeError: x is null', '    at run (/a.js:1:2)']).evidence).toBe(
      'line 298\nline 299\nline 300\nTypeError: x is null\n    at run (/a.js:1:2)',
    );
  });

  it('is short, and whole lines', () => {
    const { evidence = '' } = crash(Array.from({ length: 9 }, () => 'y'.repeat(1000)));
    expect(evidence.length).toBeLessThanOrEqual(500);
    expect(evidence).toContain('[… 800 characters …]');
  });

  it('is not needed where the agent or stderr said what went wrong', () => {
    const { evidence, outcome } = crash(['starting', 'Error: 401 Unauthorized']);
    expect({ evidence, class: outcome.verdict.class }).toEqual({ evidence: undefined, class: 'provider' });
  });
});

it.each([
  [
    'No auth type is selected. Please configure an auth type (e.g. via settings or `--auth-type`) before running in non-interactive mode.',
    'config',
  ],
  ['Please set an Auth method in your settings.json', 'config'],
  ['authentication failed', 'auth'],
])('%s', (message, code) => {
  expect(codeOfMessage(message)).toBe(code);
});
