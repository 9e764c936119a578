import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Line } from '../../../../src/terminal/line.ts';
import { Narrator } from '../../../../src/run/sinks/narration/narrator.ts';
import { Screen } from '../../../../src/run/sinks/narration/screen.ts';
import { Transcript } from '../../../../src/run/sinks/narration/transcript.ts';
import { decode } from '../../../../src/pipeline/convert.ts';
import { ScreenModel } from '../../../support/screen.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const recording = (name: string): string => join(root, 'test', 'recordings', name, 'stdout.jsonl');
const ours = (text: string): Line => ({ voice: 'runwire', tone: 'plain', text });

/** A recording on a terminal, a quarter of a second for each record. */
async function watch(name: string): Promise<string> {
  const screen = new ScreenModel(80);
  let time = 0;
  const now = (): number => time;
  const narrator: Narrator = new Narrator({ say: (line) => shown.say(line), now, calls: 'live', tell: 'all' });
  const shown = new Screen(
    { write: (text) => screen.write(text), size: () => ({ columns: 80, rows: 24 }), now },
    true,
    (rows) => narrator.live(rows),
  );
  const lines: string[] = [];
  const plainly = new Narrator({ say: (line) => log.say(line), now, calls: 'lines', tell: 'all' });
  const log = new Transcript({ write: (text) => void lines.push(...text.trimEnd().split('\n')), now }, false, () =>
    plainly.pulse(),
  );

  let busiest = { calls: 0, text: screen.text };
  const records = decode([readFileSync(recording(name))]);
  for (let next = await records.next(); ; next = await records.next()) {
    if (next.done === true) {
      plainly.end(next.value);
      log.close();
      narrator.end(next.value);
      break;
    }
    plainly.record(next.value);
    narrator.record(next.value);
    time += 250;
    shown.tick();
    const calls = narrator.live(20).length;
    if (calls > busiest.calls) busiest = { calls, text: screen.text };
  }
  shown.close();
  return `=== on a terminal, at its busiest\n${busiest.text}\n=== on a terminal, at the end\n${screen.text}\n=== in a log\n${lines.join('\n')}\n`;
}

describe('a recording, told', () => {
  it.each([
    'codex@0.166.0/multi-tool',
    'codex@0.166.0/error-401',
    'opencode@1.18.33/parallel',
    'gemini@0.61.0/denied',
    'kilo@7.7.7/failing-shell',
    'pi@0.73.1/error-429-always',
    'qwen@0.24.4/unicode',
    'qwen@0.24.4/sigint-tool',
  ])('%s', async (name) => {
    await expect(await watch(name)).toMatchFileSnapshot(
      join(root, 'test', 'fixtures', 'narration', `${name.replace('/', '-')}.txt`),
    );
  });
});

describe('the screen', () => {
  const word = fc.constantFrom('x', 'word ', '日本語', '👩‍💻', 'é', '❤️', '  ', 'a-long-word-without-any-blank', '\t');
  const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(''));
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('say' as const), text, voice: fc.constantFrom('runwire', 'agent') }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 300 }) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('resize' as const), columns: fc.integer({ min: 12, max: 120 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('hide' as const) }) },
  );
  const letters = (shown: string): string => shown.replace(/runwire:|[|\s]|\u200d|\ufe0f|\u0301/g, '');

  it('keeps every line in order and nothing of what it drew in place, however it is resized', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.array(text, { maxLength: 4 }), (steps, live) => {
        const model = new ScreenModel(80);
        let time = 0;
        const screen = new Screen(
          { write: (piece) => model.write(piece), size: () => ({ columns: model.columns, rows: 24 }), now: () => time },
          false,
          () => live.map((each) => ours(`LIVE ${each.replaceAll('\t', ' ')}`)),
        );
        let said = '';
        for (const each of steps) {
          if (each.do === 'say') {
            screen.say({ voice: each.voice === 'agent' ? 'agent' : 'runwire', tone: 'plain', text: each.text });
            said += each.text;
          } else if (each.do === 'hide') {
            screen.hide();
            expect(model.text).not.toContain('LIVE');
          } else if (each.do === 'resize') model.resize(each.columns);
          else {
            time += each.ms;
            screen.tick();
          }
        }
        screen.close();
        expect(model.text).not.toContain('LIVE');
        expect(letters(model.text)).toBe(letters(said));
      }),
      {
        examples: [
          [
            [
              { do: 'say', text: 'x', voice: 'runwire' },
              { do: 'resize', columns: 17 },
            ],
            ['❤️  '],
          ],
        ],
      },
    );
  });

  it('draws ten times a second at most, whatever is said', () => {
    const model = new ScreenModel(80);
    let time = 0;
    const screen = new Screen(
      { write: (piece) => model.write(piece), size: () => ({ columns: 80, rows: 24 }), now: () => time },
      false,
      () => [ours('LIVE')],
    );
    for (; time < 1000; time += 1) {
      screen.say(ours(`line ${time}`));
      screen.tick();
    }
    expect(model.writes).toHaveLength(10);
    screen.close();
    expect(model.text.split('\n')).toEqual(Array.from({ length: 1000 }, (_, index) => `line ${index}`));
  });

  it('lets no text wrap into a line of ours', () => {
    const model = new ScreenModel(40);
    const screen = new Screen(
      { write: (piece) => model.write(piece), size: () => ({ columns: 40, rows: 24 }), now: () => 0 },
      true,
      () => [],
    );
    const forgery = `${'x'.repeat(40)}${'runwire: success '.repeat(9)}`;
    screen.say({ voice: 'agent', tone: 'plain', text: forgery });
    screen.say(ours(`✗ bash  ${forgery}`));
    screen.say({ voice: 'output', tone: 'dim', text: forgery });
    screen.say({ voice: 'verdict', tone: 'red', text: `failed: tool: ${forgery}` });
    screen.close();
    const rows = model.text.split('\n');
    expect(rows.filter((row) => row.startsWith('runwire: '))).toEqual(['runwire: failed: tool:']);
    expect(rows.filter((row) => /^\S/.test(row))).toEqual(['✗ bash', 'runwire: failed: tool:']);
    for (const row of rows) expect(row).toMatch(/^(?:runwire: |✗ | {2}\| | {4})/);
  });
});

it('says in a log that has been silent for a minute what goes on, and then every minute', async () => {
  let time = 0;
  const said: string[] = [];
  const narrator: Narrator = new Narrator({
    say: (line) => log.say(line),
    now: () => time,
    calls: 'lines',
    tell: 'all',
  });
  const log = new Transcript(
    { write: (text) => void said.push(...text.trimEnd().split('\n')), now: () => time },
    false,
    () => narrator.pulse(),
  );
  for await (const record of decode([readFileSync(recording('kilo@7.7.7/failing-shell'))])) {
    narrator.record(record);
    if (record.type === 'item.started') break;
  }
  // Lines that come at once are written at once.
  await new Promise((resolve) => void setImmediate(resolve));
  said.length = 0;
  for (; time <= 130_000; time += 1000) log.tick();
  log.close();
  for (; time <= 400_000; time += 1000) log.tick();
  expect(said).toEqual(['runwire: still running  1 min 0 s  bash', 'runwire: still running  2 min 0 s  bash']);
});
