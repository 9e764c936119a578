import { type Colour, paint } from './paint.ts';
import { prefix } from './plain.ts';
import type { Environment } from '../words/vocabulary.ts';

export type Tone = 'plain' | Exclude<Colour, 'bold'>;

/** One line for people, without control characters. */
export interface Line {
  /** Our own lines begin with our name, those of the agent with a bar. */
  voice: 'runwire' | 'agent';
  tone: Tone;
  text: string;
  /** It ends with a command line, which is wrapped so that a shell still reads it as one command. */
  isCommand?: true;
}

const margins = { runwire: prefix, agent: '  | ' } as const;

export function margin({ voice }: Line): string {
  return margins[voice];
}

export function render(line: Line, colours: boolean, start = margin(line)): string {
  if (!colours) return start + line.text;
  return (
    paint(start, 'dim', { colours }) + paint(line.text, line.tone === 'plain' ? undefined : line.tone, { colours })
  );
}

/** Whether a stream gets colours. FORCE_COLOR outweighs NO_COLOR, as in Node.js. */
export function wantsColours(env: Environment, isTerminal: boolean): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTerminal && !no && term !== 'dumb';
}

/** Whether text on stderr can be drawn and redrawn. A CI log cannot, even if it claims to be a terminal. */
export function canDraw(env: Environment, isTerminal: boolean): boolean {
  const { CI: ci, TERM: term } = env;
  return isTerminal && term !== 'dumb' && (!ci || ci === 'false' || ci === '0');
}
