import type { Finish, Turn, Usage } from './script.ts';

export interface AnswerCall {
  id: string;
  name: string;
  /** The arguments as text, broken or not. */
  args: string;
  /** Free text instead of arguments. */
  input?: string;
}

/** A turn made ready to be said in any format. */
export interface Answer {
  /** Ends every id of this answer: `r7` in the answer to the seventh request. */
  id: string;
  model: string;
  text: string;
  reasoning: string;
  calls: AnswerCall[];
  usage: Usage;
  finish: Finish;
  chunkSize: number;
}

const idPattern = /_r(\d+)(?:_\d+)?$/;

/** Which request an id was made for. */
export function requestOfId(id: string): number | undefined {
  const found = idPattern.exec(id)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** About four characters to a token, as a rule of thumb. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

export function answerOf(
  turn: Turn,
  { request, model, body, callPrefix }: { request: number; model: string; body: string; callPrefix: string },
): Answer {
  const { text = '', reasoning = '', calls = [] } = turn;
  const said = calls.map((call, index) => ({
    id: `${callPrefix}_r${request}_${index}`,
    name: call.name,
    args: call.rawArgs ?? JSON.stringify(call.args ?? (call.input === undefined ? {} : { input: call.input })),
    ...(call.input === undefined ? {} : { input: call.input }),
  }));
  const thought = estimateTokens(reasoning);
  const spoken = estimateTokens(text + said.map((call) => call.name + call.args).join(''));
  return {
    id: `r${request}`,
    model: turn.model ?? model,
    text,
    reasoning,
    calls: said,
    usage: turn.usage ?? { input: estimateTokens(body), cached: 0, output: thought + spoken, reasoning: thought },
    finish: turn.finish ?? (said.length > 0 ? 'tool' : 'stop'),
    chunkSize: turn.chunkSize ?? 24,
  };
}

/** Pieces of a text, split between characters. */
export function piecesOf(text: string, size: number): string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  );
}
