import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

function read(path: string, how: (path: string) => string): string {
  try {
    return how(path);
  } catch {
    // Gone in the meantime, or another user's.
    return '';
  }
}

/** The command lines of processes that belong to a folder: by their variables, their working folder or their arguments. */
export function processesOf(folder: string): string[] {
  const text = (path: string): string => read(path, (each) => readFileSync(each, 'utf8'));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const at = join('/proc', name);
      const command = text(join(at, 'cmdline'));
      const traces = [command, text(join(at, 'environ')), read(join(at, 'cwd'), (path) => readlinkSync(path))];
      // A zombie has neither variables nor a command line: it waits for its parent and runs nothing.
      return traces.some((trace) => trace.includes(folder)) ? [`${name} ${command.replaceAll('\0', ' ').trim()}`] : [];
    });
}
