import { prefix } from './plain.ts';
import type { Environment } from '../vocabulary.ts';

export type Tone = 'plain' | 'dim' | 'red' | 'green' | 'yellow';

/** One line for people, without control characters. */
export interface Line {
  /** Lines of ours begin with our name, words of the agent with a bar. */
  voice: 'runwire' | 'agent';
  tone: Tone;
  text: string;
}

const margins = { runwire: prefix, agent: '  | ' } as const;
const codes: Record<Tone, number> = { plain: 0, dim: 2, red: 31, green: 32, yellow: 33 };

export function margin({ voice }: Line): string {
  return margins[voice];
}

export function render(line: Line, colours: boolean, start = margin(line)): string {
  if (!colours) return start + line.text;
  const text = line.tone === 'plain' ? line.text : paint(line.text, codes[line.tone]);
  return paint(start, codes.dim) + text;
}

function paint(text: string, code: number): string {
  return `\u001b[${code}m${text}\u001b[0m`;
}

/** Whether a stream gets colours. Who says so outweighs who says no, as Node.js has it. */
export function wantsColours(env: Environment, isTerminal: boolean): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTerminal && !no && term !== 'dumb';
}

/** Whether stderr is a place where something can be drawn and drawn over. The log of a CI is none, whatever it claims to be. */
export function canDraw(env: Environment, isTerminal: boolean): boolean {
  const { CI: ci, TERM: term } = env;
  return isTerminal && term !== 'dumb' && (!ci || ci === 'false' || ci === '0');
}
