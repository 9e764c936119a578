import type { VerdictClass } from '../../src/failure.ts';

/** What is true of the recordings of one agent: the class of each scenario, and where its stream shows less than the truth. */
export interface Expected {
  /** Folder below test/recordings. */
  folder: string;
  dialect: string;
  /** The variant that was recorded, where it is not the one written by default. */
  writer?: string;
  /** scenario → the class that stdout, stderr and the exit status prove. */
  classes: Record<string, VerdictClass>;
  /** The name the model called a tool by → the name the agent prints; null: the agent never prints such calls. */
  toolNames?: Record<string, string | null>;
  /** What this agent's stream never holds, whatever the scenario. */
  silent?: readonly ('usage' | 'tools' | 'message' | 'reasoning_tokens' | 'cached_tokens')[];
  /** Scenarios whose stream shows something else than the model's side; each says why. */
  differs?: Record<string, Difference>;
}

interface Difference {
  why: string;
  message?: string;
  /** How long a long answer is as the agent prints it. */
  messageLength?: number;
  tools?: readonly string[];
  /** false: the stream has no token counts here. */
  tokens?: { input: number; output: number } | false;
  /** Nothing was printed that tells this agent from others (`unknown`), or from the one it was forked from. */
  dialect?: string;
}
