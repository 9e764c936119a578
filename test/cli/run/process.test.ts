import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PipeClosed } from '../../../src/cli/stdout.ts';
import type { RunAgent } from '../../../src/builtin/agent.ts';
import type { Draft } from '../../../src/events/event.ts';
import { fold } from '../../../src/pipeline/convert.ts';
import { folder, goodRun, lines, ok, outside, runScripted, started, telling, untilStopped } from './scripted.ts';

const formats = [
  '--json',
  '--output-format=json',
  '--format=json',
  '--stream-json',
  '--to=runwire',
  '--output-format=text',
];
const classOf = async (text: string): Promise<string> => (await fold([new TextEncoder().encode(text)])).verdict.class;
const begun: Draft[] = [
  started,
  { type: 'turn.started' },
  { type: 'text.delta', text: 'I beg' },
  { type: 'item.started', item_id: 'call_1', kind: 'command', name: 'bash', args: { command: 'sleep 99' } },
];
const politely = untilStopped(begun, (emit) => {
  emit({ type: 'item.completed', item_id: 'call_1', status: 'cancelled', output: '' });
  emit({ type: 'agent.finished', status: 'cancelled', message: 'the run was cancelled' });
});
/** Never ends, whatever it is told. */
const deaf: RunAgent = (_options, emit) => {
  begun.forEach(emit);
  return new Promise(() => {});
};

// Most of it is waiting for an end.
describe.concurrent.each(formats)('%s', (format) => {
  const exitOf = (code: number): number => (format === '--json' ? 1 : code);
  const readable = format !== '--output-format=text';

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends the run once, with a whole outcome', async (signal, code) => {
    const around = outside();
    const run = runScripted([format, 'Do it'], politely, around);
    setTimeout(() => around.signal(signal), 20);
    const { status, stdout, stderr } = await run;
    expect(status).toBe(exitOf(code));
    expect(readable ? await classOf(stdout) : stdout).toBe(readable ? 'cancelled' : '');
    if (!readable) expect(stderr).toContain(`(exit code ${code})`);
    expect(around.listeners()).toBe(0);
  });

  it('a second signal waits for nobody', async () => {
    const [one, two] = [outside(), outside()];
    const [oneBegun, twoBegun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const deafAfter =
      (hasBegun: () => void): RunAgent =>
      (options, emit) => (hasBegun(), deaf(options, emit));
    const once = runScripted([format, 'Do it'], deafAfter(oneBegun.resolve), one);
    const twice = runScripted([format, 'Do it'], deafAfter(twoBegun.resolve), two);
    await Promise.all([oneBegun.promise, twoBegun.promise]);
    one.signal('SIGINT');
    two.signal('SIGINT');
    two.signal('SIGINT');
    expect(await Promise.race([once.then(() => 'once'), twice.then(() => 'twice')])).toBe('twice');
    const { status, stdout } = await twice;
    one.signal('SIGINT');
    await once;
    expect(status).toBe(exitOf(130));
    if (readable) expect(await classOf(stdout)).toBe('cancelled');
  });

  it('--timeout ends it with 124', async () => {
    const { status, stdout } = await runScripted([format, '--timeout', '0.02s', 'Do it'], politely);
    expect(status).toBe(exitOf(124));
    if (readable) expect(await classOf(stdout)).toBe('time_limit');
  });

  it('an agent that throws is an incomplete run with a closing line', async () => {
    const { status, stdout } = await runScripted([format, 'Do it'], async (_options, emit) => {
      begun.forEach(emit);
      throw new Error('boom');
    });
    expect(status).toBe(exitOf(8));
    if (readable) expect(await classOf(stdout)).toBe('incomplete');
  });

  it('an error that nobody caught is too', async () => {
    const around = outside();
    const run = runScripted([format, 'Do it'], deaf, around);
    setTimeout(() => around.crash(new Error('boom')), 20);
    const { status, stdout } = await run;
    expect(status).toBe(exitOf(8));
    if (readable) expect(await classOf(stdout)).toBe('incomplete');
  });

  it('a config that is missing is an outcome of class config', async () => {
    const { status, stdout } = await runScripted([format, 'Do it'], telling(...goodRun), {
      env: { RUNWIRE_MODEL: '' },
    });
    expect(status).toBe(1);
    if (readable) expect(await classOf(stdout)).toBe('config');
  });
});

it('a reader that goes away ends the run quietly, and the tape has its end', async () => {
  const cwd = folder();
  const around = outside({
    cwd,
    async print() {
      throw new PipeClosed('stdout was closed');
    },
  });
  const { status, stderr } = await runScripted(['--stream-json', '--tape', 'run.tape', 'Do it'], politely, around);
  expect({ status, stderr }).toEqual({ status: 130, stderr: '' });
  const tape = lines(readFileSync(join(cwd, 'run.tape'), 'utf8'));
  expect(tape.at(-1)).toMatchObject({ type: 'thread.completed', verdict: { class: 'cancelled' } });
});

it('what an agent says after its end is not told', async () => {
  let late: (draft: Draft) => void = () => {};
  const { stdout } = await runScripted(['--to', 'runwire', 'Do it'], async (_options, emit) => {
    goodRun.forEach(emit);
    late = emit;
  });
  late({ type: 'text.completed', text: 'one more thing' });
  expect(lines(stdout).at(-1)).toMatchObject({ type: 'thread.completed' });
});

it('a run that finished before it was told to stop has succeeded', async () => {
  const agent = untilStopped(goodRun.slice(0, -1), (emit) => emit(ok));
  const around = outside();
  const run = runScripted(['Do it'], agent, around);
  setTimeout(() => around.signal('SIGTERM'), 20);
  expect(await run).toMatchObject({ status: 0, stdout: 'All done ✓\n' });
});

it('--price counts no more cache reads than there is input', async () => {
  const usage: Draft = {
    type: 'usage.reported',
    scope: 'step',
    model: 'acme/large',
    input_tokens: 10,
    output_tokens: 1,
    cache_read_tokens: 100,
  };
  const price = ['--price', 'input=2,output=10,cache_read=0.5'];
  const { stdout } = await runScripted([...price, '--to', 'runwire', 'Do it'], telling(started, usage, ok));
  expect(lines(stdout).at(-1)?.final_report).toMatchObject({ metrics: { cost: 0.000015, cost_source: 'computed' } });
});
