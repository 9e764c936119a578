import type { Ask } from '../../../src/agents/agent-cli.ts';

/** A user's settings for one agent; the working folder is /project, and a fault if anything is read there. */
export interface PointingCase {
  title: string;
  /** Paths under the home folder, or absolute ones. */
  files?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string>>;
  ask?: Partial<Ask>;
  version?: string;
}

/** As long as keys are: shorter values are taken for words that stand where none is needed. */
export const [key, otherKey] = ['sk-real-0000000000000000', 'sk-other-111111111111111'];

export const json = (value: unknown): string => JSON.stringify(value);
