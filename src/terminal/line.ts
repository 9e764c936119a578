import { type Colour, paint } from './paint.ts';
import { prefix } from './plain.ts';
import type { Environment } from '../words/vocabulary.ts';

export type Tone = 'plain' | Exclude<Colour, 'bold'>;

/**
 * Whose line it is. `verdict`: how the run ended; it begins with our name, so that no text of an agent can pass for it. `runwire`: what we
 * tell besides. `output`: what a command printed. `agent`: what the agent said.
 */
type Voice = 'verdict' | 'runwire' | 'output' | 'agent';

/** Where lines are read. In a log, among the lines of other programs, all that we tell begins with our name. */
export type Surface = 'terminal' | 'log';

/** One line for people, without control characters. */
export interface Line {
  voice: Voice;
  tone: Tone;
  text: string;
  /** It ends with a command line, which is wrapped so that a shell still reads it as one command. */
  isCommand?: true;
}

const margins: Record<Surface, Record<Voice, string>> = {
  terminal: { verdict: prefix, runwire: '', output: '    ', agent: '  | ' },
  log: { verdict: prefix, runwire: prefix, output: '    ', agent: '  | ' },
};

export function margin({ voice }: Line, surface: Surface): string {
  return margins[surface][voice];
}

export function render(line: Line, colours: boolean, start: string): string {
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
