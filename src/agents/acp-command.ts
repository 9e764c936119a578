import { Failure } from '../failure.ts';
import { acpAgent, builtIn } from '../words/vocabulary.ts';

const prefix = `${acpAgent}:`;

/** The words of COMMAND in `acp:COMMAND`; undefined for any other agent. No shell reads it: quotes keep words together, and that is all. */
export function acpCommand(agent: string): string[] | undefined {
  if (!agent.startsWith(prefix)) return undefined;
  const words = wordsOf(agent.slice(prefix.length));
  if (words.length === 0) throw new Failure('input', noAcpCommand);
  return words;
}

interface Named<Command> {
  agent?: string | undefined;
  command?: Command | undefined;
}

/** The agent that does the work, with `acp:COMMAND` split into agent and command. */
export function agentOf<Command extends readonly string[]>({ agent = builtIn, command }: Named<Command>) {
  const words = acpCommand(agent);
  if (words === undefined) return { agent, command };
  if (command !== undefined) throw new Failure('input', `two commands: ${agent}, and one after --; give one`);
  return { agent: acpAgent, command: words };
}

export const noAcpCommand = `${acpAgent} needs the command of an agent: --agent acp:gemini, --agent "acp:my-agent --acp", or --agent acp -- my-agent --acp`;

function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === quote) quote = '';
    else if (quote === '' && (character === "'" || character === '"')) {
      quote = character;
      word ??= '';
    } else if (character === '\\' && quote !== "'" && at + 1 < line.length)
      word = (word ?? '') + line.charAt((at += 1));
    else word = (word ?? '') + character;
  }
  if (quote !== '') throw new Failure('input', `--agent ${prefix}…: a ${quote} is never closed`);
  return word === undefined ? words : [...words, word];
}
