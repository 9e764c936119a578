import { Failure } from '../failure.ts';

const needed = [22, 18] as const;

/** Throws `Failure` where this Node.js lacks what a run needs: the run would break off halfway, with an error that explains nothing. */
export function checkNodeVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return;
  throw new Failure('config', `needs Node.js ${needed.join('.')} or newer, this is ${version}; update Node.js`);
}
