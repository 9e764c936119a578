import { existsSync } from 'node:fs';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { EventRecord } from '../../../src/events/event.ts';
import { tail as tailCommand } from '../../../src/cli/runs/tail.ts';
import { compiled } from '../../support/compiled.ts';
import { ScreenModel } from '../../support/screen.ts';
import { outside } from '../run/scripted.ts';
import { hostile, jsonLines, newLedger, obeyed, runs } from './ledger.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process whose words can be waited for. */
class Talk {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  stdout = '';
  stderr = '';
  #wake = Promise.withResolvers<void>();

  constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...compiled },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    children.push(this.child);
    const hear = (which: 'stdout' | 'stderr') => (text: string) => {
      this[which] += text;
      this.#wake.resolve();
      this.#wake = Promise.withResolvers();
    };
    this.child.stdout?.setEncoding('utf8').on('data', hear('stdout'));
    this.child.stderr?.setEncoding('utf8').on('data', hear('stderr'));
    this.child.stdin?.on('error', () => {});
    this.ended = new Promise((resolve) => void this.child.on('close', resolve));
  }

  say(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  async hears(words: string): Promise<void> {
    while (!this.stdout.includes(words) && !this.stderr.includes(words)) await this.#wake.promise;
  }
}

const writer = (ledger: string): Talk => new Talk([join(import.meta.dirname, 'writer.ts'), ledger]);
const tail = (ledger: string, ...flags: string[]): Talk =>
  new Talk([join(root, 'bin', 'runwire.js'), 'runs', 'tail', '--ledger', ledger, ...flags]);

const typesOf = (text: string): string[] => jsonLines<EventRecord>(text).map(({ type }) => type);

describe('tail -f', () => {
  it('tells what another process does, as it does it, and ends with it', async () => {
    const ledger = newLedger();
    const live = tail(ledger, '-f');
    await live.hears('waiting for a run to begin');
    // It may be a typo: whoever reads creates nothing.
    expect(existsSync(ledger)).toBe(false);
    const run = writer(ledger);
    run.say('begin');
    await live.hears('"thread.started"');
    run.say('first');
    await live.hears('"first"');
    expect(typesOf(live.stdout)).not.toContain('thread.completed');
    run.say('second');
    await live.hears('"second"');
    run.say('end');
    expect(await live.ended).toBe(0);
    expect(typesOf(live.stdout)).toEqual([
      'thread.started',
      'turn.started',
      'text.delta',
      'text.completed',
      'text.delta',
      'text.completed',
      'agent.finished',
      'turn.completed',
      'thread.completed',
    ]);
    expect(jsonLines<EventRecord>(live.stdout).at(-1)).toMatchObject({ status: 'success', summary: 'second' });
  });

  it('tells a run whose process was killed as incomplete', async () => {
    const ledger = newLedger();
    const run = writer(ledger);
    run.say('begin');
    await run.hears('begin');
    const live = tail(ledger, '-f');
    await live.hears('"turn.started"');
    run.say('half');
    await live.hears('"half"');
    run.child.kill('SIGKILL');
    await run.ended;
    expect(await live.ended).toBe(0);
    expect(jsonLines<EventRecord>(live.stdout).at(-1)).toMatchObject({
      type: 'thread.completed',
      status: 'incomplete',
      summary: 'half',
    });
    const { stdout } = await runs(ledger, ['list']);
    expect(jsonLines(stdout)).toMatchObject([{ status: 'incomplete', agent: 'counter', model: 'm' }]);
  });

  it('draws on a terminal what goes on, and takes it away for the answer', async () => {
    const ledger = newLedger();
    const run = writer(ledger);
    run.say('begin');
    await run.hears('begin');
    const screen = new ScreenModel(80);
    const { context } = outside();
    let drawn = false;
    const status = await tailCommand.run({ follow: true, ledger } as object, [], {
      ...context,
      stdoutIsTerminal: true,
      stderrIsTerminal: true,
      show: async (text) => screen.write(text),
      draw(text) {
        screen.write(text);
        if (drawn || !/· turn 1 · waiting for the model/.test(text)) return;
        drawn = true;
        for (const line of ['Done.', 'end']) run.say(line);
      },
    });
    expect({ status, drawn }).toEqual({ status: 0, drawn: true });
    const shown = screen.text.split('\n');
    expect(shown).toContain('Done.');
    expect(shown).toContain('runwire: success');
    expect(shown.filter((line) => /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u.test(line))).toEqual([]);
  });

  it('waits for the next run', async () => {
    const ledger = newLedger();
    const first = writer(ledger);
    for (const line of ['begin', 'old', 'end']) first.say(line);
    await first.ended;
    const live = tail(ledger, '--next', '--to', 'codex');
    await live.hears('waiting for a run to begin');
    const second = writer(ledger);
    for (const line of ['begin', 'new', 'end']) second.say(line);
    expect(await live.ended).toBe(0);
    expect(live.stdout).toContain('"text":"new"');
    expect(live.stdout).not.toContain('old');
  });
});

describe('tail', () => {
  it('tells what there is of a run that goes on, and no end', async () => {
    const ledger = newLedger();
    const run = writer(ledger);
    run.say('begin');
    run.say('so far');
    await run.hears('so far');
    const seen = tail(ledger, '-f');
    await seen.hears('"so far"');
    const { stdout, status } = await runs(ledger, ['tail']);
    expect(status).toBe(0);
    expect(typesOf(stdout)).toEqual(['thread.started', 'turn.started', 'text.delta', 'text.completed']);
  });

  it('tells people, and obeys nobody', async () => {
    const ledger = newLedger();
    const run = writer(ledger);
    for (const line of ['begin', hostile.replaceAll('\n', ' ').replaceAll('\r', ' '), 'Done.', 'end']) run.say(line);
    await run.ended;
    const { stdout, status } = await runs(ledger, ['tail', 'last', '--to', 'text']);
    expect({ status, obeyed: obeyed.exec(stdout) }).toEqual({ status: 0, obeyed: null });
    expect(stdout).toMatch(/^Done\.$/m);
    expect(stdout).toMatch(/^runwire: success$/m);
  });

  it('says what cannot be', async () => {
    const ledger = newLedger();
    expect(await runs(ledger, ['tail'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no runs yet') as string,
    });
    expect(await runs(ledger, ['tail', '--to', 'xml'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('unknown dialect') as string,
    });
    expect(await runs(ledger, ['tail', 'a', 'b'])).toMatchObject({ status: 2 });
  });
});
