import { resolve } from 'node:path';
import { acpCommand } from '../../agents/acp-command.ts';
import { Failure } from '../../failure.ts';
import type { AgentChoice, Settings } from '../../orchestrate/settings.ts';
import { present } from '../../json/present.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { acpAgent } from '../../words/vocabulary.ts';
import { requestOptionsFor } from '../../contract/flags.ts';
import { readRequest } from '../../contract/requested.ts';
import type { Options, Values } from '../command.ts';
import { filled, readCount, readDuration, readWord } from '../../contract/flag-values.ts';
import { documentOptions, recordingOptions, runOptions } from '../run/options.ts';
import { fromHere } from '../run/settings.ts';

/** Flags of every command in which several agents work in private copies. */
export const crewOptions = {
  ...requestOptionsFor('crew'),
  agents: {
    type: 'string',
    value: 'NAME[=MODEL],…',
    help: 'The agents that do the work: codex, claude=opus, builtin, acp:COMMAND, … (default: all that are installed)',
    group: 'Agent and model',
    common: true,
  },
  'agent-timeout': { type: 'string', value: 'DURATION', help: 'Stop each agent after this long', group: 'Limits' },
  concurrency: {
    type: 'string',
    value: 'N',
    help: 'How many agents work at once (default: 4)',
    group: 'Limits',
    common: true,
  },
  verify: {
    type: 'string',
    value: 'CMD',
    help: 'Shell command that good work must pass; it is run on the base first, then in a fresh copy of each commit',
    group: 'What to do',
    common: true,
  },
  'verify-timeout': {
    type: 'string',
    value: 'DURATION',
    help: 'How long --verify may take (default: 10m)',
    group: 'Limits',
  },
  protect: {
    type: 'string',
    multiple: true,
    value: 'GLOB',
    help: "Files that must not change, such as 'test/**'; may be repeated",
    group: 'Permissions',
  },
  'stream-json': runOptions['stream-json'],
  to: runOptions.to,
  tape: runOptions.tape,
  ...documentOptions,
  ...recordingOptions,
  'on-end': runOptions['on-end'],
  headless: { type: 'boolean', help: 'Draw nothing on the terminal: nobody is watching', group: 'Output' },
  quiet: runOptions.quiet,
} as const satisfies Options;

export const publishOptions = {
  publish: {
    type: 'string',
    value: 'none|branch|pr',
    choices: ['none', 'branch', 'pr'],
    help: 'What to do with the finished branch: nothing (default), push it, or open a pull request (with gh)',
    group: 'What to do',
    common: true,
  },
  remote: { type: 'string', value: 'NAME', help: 'The remote to push to (default: origin)', group: 'What to do' },
  'dry-run': { type: 'boolean', help: 'Print what would be published, and publish nothing', group: 'What to do' },
} as const satisfies Options;

type CrewValues = Values<typeof crewOptions> & Partial<Values<typeof publishOptions>>;

export type CrewFlags = Pick<
  Settings,
  | 'isolate'
  | 'dirty'
  | 'setup'
  | 'copy'
  | 'protect'
  | 'verify'
  | 'verifyTimeoutMs'
  | 'publish'
  | 'remote'
  | 'dryRun'
  | 'concurrency'
> & {
  agents: readonly AgentChoice[] | undefined;
  agentTimeoutMs: number | undefined;
  from: string | undefined;
  isHeadless: boolean;
};

const defaultVerifyMs = 10 * 60_000;

export function readCrewFlags(values: CrewValues, here: string): CrewFlags {
  const { workspace = {} } = readRequest(values);
  return {
    agents: readAgents(values.agents, here),
    isolate: workspace.isolate ?? 'auto',
    dirty: workspace.dirty ?? 'refuse',
    setup: workspace.setup,
    copy: workspace.copy ?? [],
    protect: (values.protect ?? []).flatMap((pattern) => filled('--protect', pattern, "'test/**'") ?? []),
    verify: filled('--verify', values.verify, '"npm test"'),
    verifyTimeoutMs: readDuration('--verify-timeout', values['verify-timeout']) ?? defaultVerifyMs,
    agentTimeoutMs: readDuration('--agent-timeout', values['agent-timeout']),
    publish: readWord('--publish', values.publish, ['none', 'branch', 'pr']) ?? 'none',
    remote: filled('--remote', values.remote, 'origin'),
    dryRun: values['dry-run'] === true,
    concurrency: readCount('--concurrency', values.concurrency, 4) ?? 4,
    isHeadless: values.headless === true,
    from: filled('--parent-branch-id', values['parent-branch-id'], 'main'),
  };
}

/** `codex,claude=opus,builtin=replay/model.jsonl,acp:gemini=flash,"acp:my-agent --acp"` */
function readAgents(text: string | undefined, here: string): AgentChoice[] | undefined {
  if (text === undefined) return undefined;
  return outsideOfQuotes(text).map((each) => {
    const word = each.trim();
    // An `=` among the arguments of a command belongs to the command; after a bare name it gives the model.
    const at = isCommand(word) ? -1 : word.indexOf('=');
    const [agent, name] = at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
    if (agent === '' || name === '')
      throw new Failure(
        'input',
        `--agents ${text}: expected names with commas between them, such as codex,claude=opus,builtin`,
      );
    return { agent: acpFrom(agent, here), ...present({ model: fromHere(name, here) }) };
  });
}

/** A program given by its path is resolved from here, so that it is the same one wherever the agent is started. */
function acpFrom(agent: string, here: string): string {
  const [program = '', ...rest] = acpCommand(agent) ?? [];
  return program.includes('/') ? `${acpAgent}:${shellQuote([resolve(here, program), ...rest])}` : agent;
}

function isCommand(word: string): boolean {
  return (acpCommand(word) ?? []).length > 1;
}

/** Splits at commas, except inside quotes, where a comma belongs to a command. */
function outsideOfQuotes(text: string): string[] {
  const parts: string[] = [];
  let [from, quote] = [0, ''];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === quote) quote = '';
    else if (quote === '' && (character === "'" || character === '"')) quote = character;
    else if (quote === '' && character === ',') {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}
