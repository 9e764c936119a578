import { expect, it } from 'vitest';
import { textLimit } from '../../src/outcome/bounded.ts';
import { Calls } from '../../src/outcome/calls.ts';
import { Shortener } from '../../src/outcome/shortener.ts';

const lengths = [0, textLimit, textLimit + 1, 4 * textLimit, 4 * textLimit + 1];

/** As many calls as are asked for, whose outputs have these lengths in turn, and how often one was cleaned. */
function callsOf(count: number): { calls: Calls; cleaned: () => number } {
  let cleaned = 0;
  const short = new Shortener((text) => {
    cleaned += 1;
    return text.replace('SECRET', '[gone]');
  });
  const calls = new Calls(4, short);
  for (let at = 0; at < count; at += 1) {
    const [item_id, output] = [`call_${at}`, `SECRET ${at} `.padEnd(lengths[at % lengths.length] ?? 0, 'x')];
    calls.begin({ type: 'item.started', item_id, turn_id: 't', kind: 'command', name: 'sh', args: {} }, undefined);
    calls.end({ type: 'item.completed', item_id, status: 'success', output }, undefined);
  }
  return { calls, cleaned: () => cleaned };
}

it('shows the first and last calls with their outputs cut, however long those are', () => {
  const { calls } = callsOf(10);
  const shown = calls.toArray();
  expect(shown.map((each) => Object.keys(each))).toEqual(shown.map(() => ['name', 'inputs', 'outputs', 'status']));
  expect(
    shown.map(({ outputs = '' }) => [outputs.slice(0, 9), outputs.includes('[…'), outputs.length < textLimit + 50]),
  ).toEqual([
    ['SECRET 0 ', false, true],
    ['SECRET 1 ', false, true],
    ['[gone] 8 ', true, true],
    ['[gone] 9 ', true, true],
  ]);
  expect([calls.count, calls.omitted]).toEqual([10, 6]);
  expect(calls.toArray()).toEqual(shown);
});

it('does not search long outputs of calls that are not shown', () => {
  const { calls, cleaned } = callsOf(1000);
  // Only those that are too long to be kept have been cut already.
  expect(cleaned()).toBe(200);
  calls.toArray();
  calls.toArray();
  expect(cleaned()).toBe(201);
});
