import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';

export const sweAgent: Dialect = {
  id: 'swe-agent',
  about: {
    agent: 'SWE-agent and mini-SWE-agent, their trajectory files',
    reads: '`.traj` of SWE-agent 0.6 to 1.1, `.traj.json` of mini-SWE-agent, as others describe them: never tried against the programs',
  },
  detect,
  decoder,
  schema: async () => (await import('./wire.ts')).Trajectory,
};
