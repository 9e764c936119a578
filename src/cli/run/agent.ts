import type { RunAgent } from '../../agent/agent.ts';

/** Loaded when everything else is ready: the first line is out before the model's client is in. */
export type LoadAgent = () => Promise<RunAgent>;

export const loadBuiltIn: LoadAgent = async () => (await import('../../agent/loop.ts')).runAgent;
