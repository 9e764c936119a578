import { isAbsolute } from 'node:path';
import { expect, it, vi } from 'vitest';
import { homeFolder, stateFolder } from '../../src/files/xdg.ts';

it.each(['', '.', 'home/ann'])('what is kept never lies in the working folder: HOME=%j', (HOME) => {
  // The system's own answer is this variable, too.
  vi.stubEnv('HOME', HOME);
  const folders = [homeFolder({ HOME }), stateFolder({ HOME }), stateFolder({ HOME, XDG_STATE_HOME: 'state' })];
  vi.unstubAllEnvs();
  expect(folders.map((path) => isAbsolute(path))).toEqual([true, true, true]);
});
