import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inside } from '../cli/run/live.ts';
import { atFileEnd } from '../support/at-file-end.ts';
import { asCommand, bin, leftOf, makeCheckout, nothing, type Place, runFake } from '../support/fake-agent/run-fake.ts';
import { until } from '../support/processes.ts';
import { isSweep, some } from '../support/sweep.ts';

const runwire = (...args: string[]): string =>
  [process.execPath, bin, 'run', ...args].map((word) => `'${word}'`).join(' ');

interface Told {
  said: string;
  complained: string;
  status: number | null;
}

/** A shell, as a user has one. */
async function shell(script: string, { cwd, env }: Place): Promise<Told> {
  const child = spawn('/bin/bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { said: '', complained: '' };
  child.stdout.on('data', (text) => void (texts.said += String(text)));
  child.stderr.on('data', (text) => void (texts.complained += String(text)));
  const [status] = (await once(child, 'close')) as [number | null];
  return { ...texts, status };
}

describe.concurrent('a reader that has heard enough', () => {
  const heard: [string, string][] = [
    ['calls tools for ever', '--stream-json'],
    ['calls tools for ever', '--output-format=json'],
    ['calls tools for ever', '--format=json'],
    ['talks on after a signal', '--to=runwire'],
  ];
  it.each(some(heard, 3))('ends the run: %s %s | head -1', async (mode, format) => {
    const place = makeCheckout({ RUNWIRE_PATIENCE: '0.2' });
    const { said, complained, status } = await shell(
      `set -o pipefail; ${runwire(format, '--tape', 'run.tape', ...asCommand(mode))} | head -1`,
      place,
    );
    expect(said.split('\n')).toHaveLength(2);
    expect(JSON.parse(said)).toBeTypeOf('object');
    expect(complained).not.toMatch(/EPIPE|Error|^\s+at /m);
    expect(status).toBe(130);
    expect(leftOf(place)).toEqual(nothing);
    expect(readFileSync(join(place.cwd, 'run.tape'), 'utf8').trimEnd().split('\n').at(-1)).toContain(
      '"type":"thread.completed"',
    );
  });
});

describe('a reader that is slow', () => {
  it('is not the silence of the agent', async () => {
    const place = makeCheckout();
    // Far more than a pipe and we ourselves hold, and nobody takes it for longer than the agent may be silent.
    const flags = ['--stream-json', '--idle-timeout', '1s', '--env', 'FAKE_MEGABYTES'];
    place.env['FAKE_MEGABYTES'] = '8';
    const { said, status } = await shell(
      `set -o pipefail; ${runwire(...flags, ...asCommand('a flood of small lines'))} | (sleep 3; grep -c thread.completed)`,
      place,
    );
    expect({ status, said }).toEqual({ status: 0, said: '1\n' });
    expect(leftOf(place)).toEqual(nothing);
  });
});

describe.concurrent('an agent that prints without end', () => {
  const message = { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'More.' } };
  const update = {
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate: 'plan', entries: [] } },
  };
  const lines = ['--from', 'codex', '--', 'yes', JSON.stringify(message)];
  const last = (text: string) =>
    JSON.parse(text) as {
      verdict: { class: string };
      final_report: { limits_hit: { limit: string }[]; warnings: string[] };
    };

  const endless: readonly (readonly [name: string, command: readonly string[]])[] = [
    ['lines', lines],
    ['and hears no signal', ['--', 'sh', '-c', 'trap "" INT TERM; while :; do yes | head -c 10000000; done']],
    ['over ACP', ['--agent', 'acp', '-p', 'Do it', '--', 'yes', JSON.stringify(update)]],
    ['on stderr, from a process that it left behind', ['--', 'sh', '-c', 'setsid yes >&2 & sleep 1']],
  ];
  it.each(some(endless))('is stopped by its time limit: %s', async (name, command) => {
    const place = makeCheckout({ RUNWIRE_PATIENCE: '0.1' });
    const { said } = await shell(`${runwire('--to', 'runwire', '--timeout', '0.7s', ...command)} | tail -n 1`, place);
    const { verdict, final_report: report } = last(said);
    expect(verdict).toMatchObject({ class: 'time_limit', exit_code: 124 });
    expect(report.limits_hit).toMatchObject([{ limit: 'time' }]);
    if (name === 'lines')
      expect(report.warnings.at(-1)).toMatch(
        /^the last [0-9]+ bytes that the agent printed before it was stopped were not read$/,
      );
    expect(leftOf(place)).toEqual(nothing);
  });

  it('is stopped by two signals at once', async () => {
    // The grace for the first is longer than any test may take.
    const place = makeCheckout({ RUNWIRE_PATIENCE: '1000' });
    const { said } = await shell(
      `${runwire('--to', 'runwire', ...lines)} > out & until [ -s out ]; do sleep 0.1; done
      kill $!; sleep 0.2; kill $!; wait $!; echo $?; tail -n 1 out`,
      place,
    );
    const [status, end = ''] = said.split('\n');
    expect(status).toBe('143');
    expect(last(end).verdict.class).toBe('cancelled');
    expect(leftOf(place)).toEqual(nothing);
  });
});

describe('kill -9 of runwire', () => {
  const step = isSweep ? 1 : 10;
  const moments = Array.from({ length: 20 / step }, (_, index) =>
    Math.round((index * step) ** 1.6 * 12 + Math.random() * 60 * step),
  );

  it.concurrent.each(moments.map((ms) => [ms] as const))(
    'leaves nobody, and a tape to its last whole line, after %s ms',
    async (ms) => {
      const place = makeCheckout();
      let doomed: ChildProcess | undefined;
      const ran = runFake(['--stream-json', '--tape', 'run.tape', ...asCommand('works with tools')], place, {
        watch: (child) => void (doomed = child),
      });
      await wait(ms);
      doomed?.kill('SIGKILL');
      const { signal } = await ran;
      expect(signal).toBe('SIGKILL');
      await until(() => leftOf(place).processes.length + leftOf(place).files.length === 0);
      expect(leftOf(place)).toEqual(nothing);
      const tape = await readTape(place);
      if (tape === undefined) return;
      const whole = tape.split('\n').slice(0, -1);
      for (const line of whole) expect(JSON.parse(line)).toHaveProperty('type');
      const calls = whole.filter((line) => line.includes('"type":"item.completed"')).length;
      const { stdout: said, status } = await inside(['outcome', '--exit-code', '--from', 'runwire', 'run.tape'], place);
      expect(status).toBe(8);
      expect(JSON.parse(said)).toMatchObject({
        status: 'incomplete',
        metrics: { tool_calls_count: expect.any(Number) },
      });
      expect(
        (JSON.parse(said) as { metrics: { tool_calls_count: number } }).metrics.tool_calls_count,
      ).toBeGreaterThanOrEqual(calls);
    },
  );

  /** Undefined: it was killed before there was a tape. */
  async function readTape({ cwd }: Place): Promise<string | undefined> {
    try {
      return readFileSync(join(cwd, 'run.tape'), 'utf8');
    } catch {
      return undefined;
    }
  }
});

/** A terminal of its own; what is written to it is typed, and the third byte is what Ctrl-C sends. */
function terminal(command: string, place: Place) {
  const { cwd, env } = place;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { ...env, SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // Where a test fails, somebody may wait for longer than anybody should.
  atFileEnd(() => leftOf(place).processes.forEach((pid) => process.kill(pid, 'SIGKILL')));
  let shown = '';
  child.stdout.on('data', (text) => void (shown += String(text)));
  const closed = once(child, 'close') as Promise<[number | null]>;
  return {
    shown: () => shown,
    sees: (words: string) => until(() => shown.includes(words)),
    ctrlC: () => child.stdin.write('\u0003'),
    status: closed.then(([status]) => status),
  };
}

describe.concurrent('Ctrl-C in a terminal', () => {
  it('ends the run once, with what was done so far', async () => {
    const place = makeCheckout();
    const { sees, shown, ctrlC, status } = terminal(runwire(...asCommand('hangs in a tool')), place);
    expect(await sees('command_execution')).toBe(true);
    ctrlC();
    expect(await status).toBe(130);
    expect(shown()).toMatch(/failed: cancelled: .*\(exit code 130\)/);
    expect(leftOf(place)).toEqual(nothing);
  });

  it('a second time waits for nobody', async () => {
    // The grace for the first is longer than any test may take.
    const place = makeCheckout({ RUNWIRE_PATIENCE: '1000' });
    const { sees, shown, ctrlC, status } = terminal(runwire(...asCommand('ignores SIGTERM and SIGINT')), place);
    expect(await sees('session')).toBe(true);
    ctrlC();
    await wait(200);
    ctrlC();
    expect(await status).toBe(130);
    expect(shown()).toMatch(/failed: cancelled/);
    expect(leftOf(place)).toEqual(nothing);
  });

  it('a third time ends us even if nobody reads stdout', async () => {
    const place = makeCheckout({ FAKE_MEGABYTES: '20' });
    const flags = ['--stream-json', '--env', 'FAKE_MEGABYTES'];
    // The reader hears no Ctrl-C, and holds the pipe without reading it.
    const stalled = `setsid sh -c 'sleep 600' 2> /dev/null`;
    const { ctrlC, status } = terminal(
      `bash -c "trap '' PIPE; ${runwire(...flags, ...asCommand('a flood of small lines'))} | ${stalled}"`,
      place,
    );
    await until(() => leftOf(place).processes.length > 4);
    await wait(1000);
    const runs = (): number[] => leftOf(place).processes.filter((pid) => commandLine(pid)[1] === bin);
    // What it has just started has its command line for a moment.
    expect(await until(() => runs().length === 1)).toBe(true);
    for (let times = 0; times < 3; times += 1) {
      ctrlC();
      await wait(200);
    }
    expect(await until(() => runs().length === 0, 170_000)).toBe(true);
    for (const pid of leftOf(place).processes) process.kill(pid, 'SIGKILL');
    await status;
  });
});

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
