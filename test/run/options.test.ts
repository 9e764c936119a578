import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { run, type RunOptions } from '../../src/run/library.ts';
import { checkNodeVersion } from '../../src/run/node-version.ts';

/** As a caller without types would give them. */
function refusalOf(options: unknown): unknown {
  try {
    run(options as RunOptions);
  } catch (error) {
    return error instanceof Failure ? `${error.code}: ${error.message}` : error;
  }
  return 'accepted';
}

describe('options that make no sense are a Failure at once', () => {
  it.each([
    [{ limits: { maxTurns: 'x' } }, 'input: run(): limits.maxTurns: Invalid input: expected number, received string'],
    [{ limits: { timeoutMs: -1 } }, 'input: run(): limits.timeoutMs: Too small: expected number to be >0'],
    [
      { limits: { maxCostUsd: Number.NaN } },
      'input: run(): limits.maxCostUsd: Invalid input: expected number, received NaN',
    ],
    [{ limits: { maxTurn: 3 } }, 'input: run(): limits: unknown option maxTurn'],
    [{ retries: 1.5 }, 'input: run(): retries: Invalid input: expected int, received number'],
    [{ command: 'ls -l' }, 'input: run(): command: Invalid input: expected array, received string'],
    [{ command: [] }, 'input: run(): command: Too small: expected array to have >=1 items'],
    [{ promt: 'x' }, 'input: run(): unknown option promt'],
    [{ prompt: 7 }, 'input: run(): prompt: Invalid input: expected string, received number'],
    [{ passEnv: 'HOME' }, 'input: run(): passEnv: Invalid input: expected array, received string'],
    [{ signal: {} }, 'input: run(): signal: Invalid input: expected AbortSignal, received object'],
    [undefined, 'input: run(): options: Invalid input: expected object, received undefined'],
  ])('%j', (options, message) => {
    expect(refusalOf(options)).toBe(message);
  });
});

it.each([
  ['20.20.2', 'needs Node.js 22.18 or newer, this is 20.20.2; update Node.js'],
  ['22.17.9', 'needs Node.js 22.18 or newer, this is 22.17.9; update Node.js'],
  ['22.18.0', undefined],
  ['24.0.0', undefined],
])('Node.js %s', (version, message) => {
  const check = (): void => checkNodeVersion(version);
  if (message === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(new Failure('config', message));
});
