import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { thisProcess } from '../../src/processes/owner.ts';
import { newRunId } from '../../src/ids/run-id.ts';
import { orderRun } from '../../src/ledger/order.ts';
import { heedOrders } from '../../src/stores/order-file.ts';
import type { RunRecord } from '../../src/stores/run-store.ts';
import { specOf } from '../../src/run/ask.ts';
import { start } from '../../src/run/run.ts';
import { folder } from '../cli/run/scripted.ts';
import { RunTimer, Standstill } from '../../src/run/standstill.ts';
import { noOutside, Stop } from '../../src/run/stop.ts';
import { live } from '../cli/run/live.ts';
import { codex, scriptedAgents, type Step } from '../support/scripted-agents.ts';

const stays: Step = { lines: [...codex.began('session-1'), codex.says('Working.')], stays: true };

type On = Partial<Record<EventRecord['type'], () => Promise<unknown> | void>>;

/** A run of the built command; something is done the first time that an event of a type is printed. */
async function runWith(
  steps: readonly Step[],
  flags: readonly string[],
  on: (
    agents: ReturnType<typeof scriptedAgents>,
    runs: (...words: string[]) => Promise<{ status: number | null; stderr: string }>,
    stop: (signal: NodeJS.Signals) => void,
  ) => On,
) {
  const agents = scriptedAgents({ codex: steps });
  const env = { ...agents.env, TMPDIR: agents.home };
  const runs = (...words: string[]) => live(['runs', ...words], { env });
  let stop: (signal: NodeJS.Signals) => void = () => {};
  const acts = on(agents, runs, (signal) => stop(signal));
  const acted: Promise<unknown>[] = [];
  const ran = await live(['run', '--agent', 'codex', '--to', 'runwire', ...flags, 'Do it'], {
    env,
    watch(child, stdout) {
      stop = (signal) => void child.kill(signal);
      for (const [type, act] of Object.entries(acts)) {
        if (act === undefined || !stdout.includes(`"type":"${type}"`)) continue;
        delete acts[type as EventRecord['type']];
        acted.push(Promise.resolve(act()));
      }
    },
  });
  await Promise.all(acted);
  const records = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as EventRecord);
  return { ...ran, agents, records };
}

/** One that nobody has waited for yet is gone. */
function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

const states = (agents: ReturnType<typeof scriptedAgents>): string =>
  agents
    .processes('codex')
    .map(({ state }) => state)
    .join('');

describe('a run that is going on', () => {
  it('is stopped where it is, with all that it started, and goes on', async () => {
    let stopped = '';
    let after = '';
    const { status, records, stderr } = await runWith([stays], [], (agents, runs, stop) => ({
      'text.completed': () => runs('pause', 'last'),
      async 'run.paused'() {
        await expect.poll(() => states(agents)).toBe('TT');
        stopped = states(agents);
        await runs('resume', 'last');
      },
      async 'run.resumed'() {
        await expect.poll(() => states(agents)).not.toContain('T');
        after = states(agents);
        stop('SIGINT');
      },
    }));
    expect(stopped).toBe('TT');
    expect(after).not.toContain('T');
    expect(status).toBe(130);
    expect(records.filter(({ type }) => type.startsWith('run.'))).toMatchObject([
      { type: 'run.paused', reason: 'person', by: expect.stringMatching(/\w/), source: 'runner' },
      { type: 'run.resumed', reason: 'person', by: expect.stringMatching(/\w/), paused_ms: expect.any(Number) },
    ]);
    expect(stderr).toContain('paused by ');
  });

  it('is ended by a signal also while it is paused, and paused once only', async () => {
    let [first, again]: { status: number | null; stderr: string }[] = [];
    const { status, records, agents } = await runWith([stays], [], (_, runs, stop) => ({
      async 'text.completed'() {
        first = await runs('pause', 'last');
      },
      async 'run.paused'() {
        // A second pauser is told that it makes no difference, and changes nothing.
        again = await runs('pause', 'last');
        stop('SIGINT');
      },
    }));
    expect(status).toBe(130);
    expect(first).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('the processes of its agent are stopped'),
    });
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('it is paused already') });
    expect(records.filter(({ type }) => type === 'run.paused')).toHaveLength(1);
    expect(agents.starts('codex')).toHaveLength(1);
  });

  it('that is not paused is not said to go on', async () => {
    let resumed: { status: number | null; stderr: string } | undefined;
    const { agents } = await runWith([stays], [], (_, runs, stop) => ({
      async 'text.completed'() {
        resumed = await runs('resume', 'last');
        stop('SIGINT');
      },
    }));
    expect(resumed).toMatchObject({ status: 1, stderr: expect.stringContaining('it is not paused') });
    // Nothing is left of what was asked, and answered.
    expect(readdirSync(join(agents.home, '.local/state/runwire/orders'))).toEqual([]);
  });

  it('leaves nothing behind when it is killed while it is paused', async () => {
    let left: number[] = [];
    await runWith([stays], [], (agents, runs, stop) => ({
      'text.completed': () => runs('pause', 'last'),
      async 'run.paused'() {
        await expect.poll(() => states(agents)).toBe('TT');
        left = agents.processes('codex').map(({ pid }) => pid);
        stop('SIGKILL');
      },
    })).catch(() => {});
    expect(left).toHaveLength(2);
    await expect.poll(() => left.filter(isAlive)).toEqual([]);
  });

  it('is stopped by a limit that is lowered, and not by one that was raised', async () => {
    const turns = Array.from({ length: 3 }, (_, index) => codex.ran(`cat ${index}`, `item_${index + 5}`)).flat();
    const { status, records } = await runWith(
      [{ lines: [...codex.began('session-1'), codex.says('Working.'), ...turns], stays: true }],
      ['--max-turns', '50', '--timeout', '5m'],
      (_, runs) => ({
        'text.completed': () => runs('limit', 'last', '--timeout', '2h'),
        'limit.changed': () => runs('limit', 'last', '--timeout', '0.1s'),
      }),
    );
    expect(status).toBe(124);
    expect(records.filter(({ type }) => type.startsWith('limit.'))).toMatchObject([
      { type: 'limit.changed', limit: 'time', before: 300, maximum: 7200, by: expect.any(String) },
      { type: 'limit.changed', limit: 'time', before: 7200, maximum: 0.1 },
      { type: 'limit.reached', limit: 'time', maximum: 0.1 },
    ]);
  });

  it('that has ended takes no orders', async () => {
    const agents = scriptedAgents({ codex: [{ lines: [...codex.began('s'), codex.says('ok'), codex.done(1, 1)] }] });
    const { env } = agents;
    await live(['run', '--agent', 'codex', 'Do it'], { env });
    for (const words of [
      ['pause', 'last'],
      ['resume', 'last'],
      ['limit', 'last', '--timeout', '1h'],
    ]) {
      const { status, stderr } = await live(['runs', ...words], { env });
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('it has ended already') });
    }
    expect((await live(['runs', 'limit', 'last'], { env })).status).toBe(2);
    expect((await live(['runs', 'pause'], { env })).status).toBe(2);
  });
});

describe('an order for a run', () => {
  // This process writes the run, and looks for no orders: as one does that was started with another HOME.
  const deaf = (): RunRecord => ({ id: newRunId(1), status: 'running', owner: thisProcess() }) as RunRecord;

  it('that nobody answers is not said to be carried out', async () => {
    const env = { HOME: folder() };
    let slept = 0;
    const sleep = async (ms: number): Promise<void> => void (slept += ms);
    expect(await orderRun(deaf(), { do: 'pause', by: 'me' }, { env, sleep })).toContain('does not answer');
    expect(slept).toBeGreaterThanOrEqual(10_000);
    expect(readdirSync(join(env.HOME, '.local/state/runwire/orders')).join()).not.toContain('answer');
  });

  it('that comes as the run ends is told so', async () => {
    const env = { HOME: folder() };
    const run = deaf();
    const stopHeeding = heedOrders(env, run.id, () => undefined);
    const sleep = async (): Promise<void> => stopHeeding();
    expect(await orderRun(run, { do: 'pause', by: 'me' }, { env, sleep })).toBe('it has ended meanwhile');
  });

  it('to pause holds for a run that starts below it later', async () => {
    const spec = specOf({ prompt: 'Do it' }, { cwd: folder(), passEnv: [] });
    const told: string[] = [];
    const above = start(spec, {
      env: {},
      script: (run) => async (_, emit) => {
        run.pause('me');
        const record = ({ type }: EventRecord): void => {
          told.push(type);
          if (type === 'run.paused') setImmediate(() => run.resume('me'));
        };
        await start(spec, {
          env: {},
          parent: run,
          script: () => async (__, say) => say({ type: 'text.completed', text: 'Working.' }),
          sinks: async () => [{ record }],
        }).outcome;
        emit({ type: 'agent.finished', status: 'ok' });
      },
    });
    await above.outcome;
    expect(told.filter((type) => type.startsWith('run.') || type === 'text.completed')).toEqual([
      'run.paused',
      'run.resumed',
      'text.completed',
    ]);
  });
});

describe('a timer of a run', () => {
  afterEach(() => vi.useRealTimers());

  it('stands still while the run does', () => {
    vi.useFakeTimers();
    const standstill = new Standstill();
    const due = vi.fn<() => void>();
    const timer = new RunTimer(standstill, 1000, due);
    vi.advanceTimersByTime(600);
    standstill.begin('person');
    standstill.begin('limit');
    vi.advanceTimersByTime(100_000);
    standstill.end('limit');
    vi.advanceTimersByTime(100_000);
    expect(due).not.toHaveBeenCalled();
    standstill.end('person');
    vi.advanceTimersByTime(399);
    expect(due).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(due).toHaveBeenCalledOnce();
    expect(standstill.activeMs).toBe(1000);
    timer.clear();
  });

  it('begins anew when it is refreshed, also while the run stands still', () => {
    vi.useFakeTimers();
    const standstill = new Standstill();
    const due = vi.fn<() => void>();
    const timer = new RunTimer(standstill, 1000, due);
    vi.advanceTimersByTime(900);
    timer.refresh();
    vi.advanceTimersByTime(900);
    standstill.begin('person');
    timer.refresh();
    standstill.end('person');
    vi.advanceTimersByTime(999);
    expect(due).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(due).toHaveBeenCalledOnce();
  });

  it('is the time limit of a run, which may be changed', () => {
    vi.useFakeTimers();
    const watched: number[] = [];
    const stop = new Stop({ ...noOutside, watchTime: (ms) => (watched.push(ms), () => {}) }, 10_000);
    vi.advanceTimersByTime(4000);
    stop.standstill.begin('person');
    vi.advanceTimersByTime(60_000);
    stop.limitTime(20_000);
    vi.advanceTimersByTime(60_000);
    expect(stop.cause).toBeUndefined();
    stop.standstill.end('person');
    vi.advanceTimersByTime(15_999);
    expect(stop.cause).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(stop.cause).toMatchObject({ kind: 'limit', limit: { limit: 'time', maximum: 20 } });
    expect(watched).toEqual([10_000, 16_000]);
    stop.dispose();
  });

  it('that was cleared never fires', () => {
    vi.useFakeTimers();
    const standstill = new Standstill();
    const due = vi.fn<() => void>();
    const timer = new RunTimer(standstill, 1000, due);
    standstill.begin('person');
    timer.clear();
    standstill.end('person');
    vi.advanceTimersByTime(10_000);
    expect(due).not.toHaveBeenCalled();
  });
});
