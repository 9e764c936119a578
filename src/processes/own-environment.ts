import { closeSync, openSync, readFileSync, readlinkSync, readSync, writeSync } from 'node:fs';

/** An outer run, and Jenkins, use these to find the processes to end: they stay readable, and give access to nothing. */
const ids = new Set(['RUNWIRE_RUNS', 'JENKINS_NODE_COOKIE', 'JENKINS_SERVER_COOKIE', 'HUDSON_COOKIE', 'BUILD_ID']);

/**
 * Removes the variables from `/proc/PID/environ` of this process, which any process of the same user may read: a child that is
 * started without a variable would only have to look at its parent. That file shows the very bytes that the process was
 * started with, so each variable is set again, which moves it elsewhere in memory, and those bytes are overwritten.
 * What every child gets anyway may be kept. Returns whether it was done: only Linux has such a file, and a sandbox may forbid writing to it.
 */
export function hideEnvironment(kept: ReadonlySet<string>): boolean {
  if (process.platform !== 'linux') return false;
  let memory: number | undefined;
  try {
    // Another thread has only a copy of the variables: setting them there does not change those of the process.
    if (readlinkSync('/proc/thread-self') !== `${process.pid}/task/${process.pid}`) return false;
    const [start, end] = placeOfEnvironment();
    memory = openSync('/proc/self/mem', 'r+');
    const block = Buffer.alloc(end - start);
    if (start === 0 || readSync(memory, block, 0, block.length, start) !== block.length) return false;
    for (const [name, value] of Object.entries(process.env)) process.env[name] = value;
    for (const [from, to] of entriesOf(block)) {
      const name = nameOf(block, from, to);
      if (!kept.has(name) && !ids.has(name)) block.fill(0, from, to);
    }
    return writeSync(memory, block, 0, block.length, start) === block.length;
  } catch {
    return false;
  } finally {
    if (memory !== undefined) closeSync(memory);
  }
}

/** Fields 50 and 51 of `stat`; the second is the name in parentheses, which may hold anything. */
function placeOfEnvironment(): [start: number, end: number] {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [Number(fields[47] ?? 0), Number(fields[48] ?? 0)];
}

function* entriesOf(block: Buffer): Generator<[from: number, to: number]> {
  for (let from = 0; from < block.length;) {
    const zero = block.indexOf(0, from);
    const to = zero === -1 ? block.length : zero;
    yield [from, to];
    from = to + 1;
  }
}

function nameOf(block: Buffer, from: number, to: number): string {
  const equals = block.subarray(from, to).indexOf('=');
  return block.toString('latin1', from, equals === -1 ? to : from + equals);
}
