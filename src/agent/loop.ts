import { Failure } from '../failure.ts';
import type { RunAgent } from './agent.ts';

export const runAgent: RunAgent = () => Promise.reject(new Failure('config', 'this build has no agent'));
