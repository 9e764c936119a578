import { Failure } from '../failure.ts';
import { nearest } from '../words/nearest.ts';
import { acpAgent } from '../words/vocabulary.ts';
import type { AgentCli } from './agent-cli.ts';
import { agentCode } from './agent-code.ts';
import { amp } from './amp.ts';
import { antigravity } from './antigravity.ts';
import { auggie } from './auggie.ts';
import { claude } from './claude.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { continueCli } from './continue.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { devAgent } from './dev-agent.ts';
import { dexter } from './dexter.ts';
import { droid } from './droid.ts';
import { gemini } from './gemini.ts';
import { goose } from './goose.ts';
import { kilo } from './kilo.ts';
import { kimi } from './kimi.ts';
import { opencode } from './opencode.ts';
import { openhands } from './openhands.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';

export const agents: readonly AgentCli[] = [
  codex,
  claude,
  opencode,
  gemini,
  qwen,
  pi,
  agentCode,
  dexter,
  devAgent,
  cursor,
  amp,
  goose,
  droid,
  copilot,
  cline,
  continueCli,
  kilo,
  antigravity,
  kimi,
  openhands,
  auggie,
];

/** The built-in agent is not one of these: it has no command line. */
export function findAgent(name: string): AgentCli {
  const agent = agents.find(({ id }) => id === name);
  if (agent !== undefined) return agent;
  if (name.startsWith(`${acpAgent}:`))
    throw new Failure(
      'input',
      `${name} is a command, not an agent that Runwire knows; "runwire doctor" checks whether it speaks ACP`,
    );
  const known = ['builtin', ...agents.map(({ id }) => id)];
  throw new Failure('config', `unknown agent "${name}"${nearest(name, known)}; known: ${known.join(', ')}`);
}
