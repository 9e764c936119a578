import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCli, Ask } from '../src/agents/agent-cli.ts';
import { agents } from '../src/agents/registry.ts';
import { findDialect } from '../src/dialects/registry.ts';
import { convert } from '../src/pipeline/convert.ts';
import { permissionModes } from '../src/vocabulary.ts';
import { remarks } from './agent-remarks.ts';

const recordings = join(import.meta.dirname, '..', 'test', 'recordings');
const plain: Ask = { prompt: 'PROMPT', cwd: '/', permissionMode: 'edit', directories: [], extraArgs: [] };

/** docs/agents/NAME.md for each: all of it from the registry, the recordings and what a conversion loses, but the remarks. */
export async function agentPages(): Promise<[path: string, text: string][]> {
  return Promise.all(agents.map(async (agent): Promise<[string, string]> => [`docs/agents/${agent.id}.md`, await pageOf(agent)]));
}

async function pageOf(agent: AgentCli): Promise<string> {
  const { id, title, binaries, install, tested, dialect: speaks } = agent;
  const dialect = findDialect(speaks);
  const runs = recordedRuns(id);
  const recorded = runs.length === 0 ? '' : ` ${runs.length} recorded runs are read by the tests.`;
  const known =
    tested === undefined
      ? `Its command line is known from its documents; it was not started by Runwire here.${recorded}`
      : `Tried with **${tested}**; older and newer versions are driven as far as they are known to differ.${recorded}`;
  return `# ${title}

Made from the registry by \`npm run generate\`. What holds for all agents: [Agents](../agents.md).

\`runwire run --agent ${id} "PROMPT"\` starts \`${binaries.join('` or `')}\`. Install it with \`${install}\`; \`runwire doctor ${id}\` checks it, \`runwire agents ${id}\` shows the
command line of a run here. ${known}

## What is passed

${commandTable(agent)}

${limitsOf(agent)}

## What it gets of the environment

${environmentOf(agent)}

## What is read

The dialect [\`${dialect.id}\`](../dialects.md): ${dialect.about.reads ?? 'nothing'}. \`runwire outcome FILE\` reads stored output, too.

${tellsOf(agent, runs)}

## What is written

${await writtenOf(dialect.id)}

## Sessions

${sessionsOf(agent)}
${remarksOf(agent)}${recordedOf(runs)}`;
}

function line(agent: AgentCli, ask: Partial<Ask>): string {
  const { args, stdin, refused } = agent.plan({ ...plain, ...ask }, agent.tested);
  return refused ?? `\`${[agent.binaries[0], ...args].join(' ').replaceAll('|', '\\|')}${stdin === undefined ? '' : ' < PROMPT'}\``;
}

function commandTable(agent: AgentCli): string {
  const { abilities, acp, binaries, id } = agent;
  const rows = [
    ...permissionModes.map((mode) => [`\`--permission-mode ${mode}\``, line(agent, { permissionMode: mode })]),
    ...(abilities.model ? [['`--model anthropic/NAME`', line(agent, { model: 'anthropic/NAME' })]] : []),
    ...(abilities.resume ? [['`--resume ID`', line(agent, { resume: 'ID' })]] : []),
    ...(abilities.ownLimits.length > 0 ? [['`--max-turns 9 --max-cost-usd 2`', line(agent, { maxTurns: 9, maxCostUsd: 2 })]] : []),
    ...(acp === undefined ? [] : [[`\`--agent acp:${id}\``, `\`${[binaries[0], ...acp.args].join(' ')}\`, over [ACP](../acp.md)`]]),
  ];
  return `| asked for | command line |\n| --- | --- |\n${rows.map(([asked, told]) => `| ${asked} | ${told} |`).join('\n')}`;
}

function limitsOf(agent: AgentCli): string {
  const all: Ask = {
    ...plain,
    model: 'anthropic/NAME',
    maxTurns: 9,
    maxCostUsd: 2,
    system: 'SYSTEM',
    appendSystem: 'MORE',
    directories: ['/other'],
    baseUrl: 'https://models.example.com/v1',
    ...(agent.abilities.resume ? { resume: 'ID' } : {}),
  };
  const { tellsUsage, tellsTurnsAtEnd, sessionStore, abilities } = agent;
  const lacks = permissionModes.flatMap((permissionMode) => agent.plan({ ...all, permissionMode }, agent.tested).unsupported);
  const sentences = [...new Set(lacks)];
  if (sessionStore !== undefined)
    sentences.push('Its tokens and turns are read from its session file while it runs; limits stop it as soon as that tells them.');
  else if (tellsUsage === 'at its end')
    sentences.push('It tells its tokens at its end alone: `--max-cost-usd` and `--max-tokens` cannot stop it before.');
  else if (tellsUsage === 'never')
    sentences.push('It never tells its tokens: `--max-cost-usd` and `--max-tokens` cannot stop it, and its cost is unknown.');
  if (sessionStore === undefined && tellsTurnsAtEnd === true) sentences.push('Nor can `--max-turns` stop it before it has ended.');
  const own = abilities.ownLimits;
  if (own.length > 0) sentences.push(`It keeps a limit of ${own.join(' and ')} by itself; Runwire watches all limits besides.`);
  return sentences.length === 0
    ? 'Everything that `runwire run` can ask for, it can do.'
    : `What it cannot do, and what else to know before a run:\n\n${sentences.map((each) => `- ${each}`).join('\n')}`;
}

function environmentOf(agent: AgentCli): string {
  const { passEnv, keys, notKeys = {}, logins, title } = agent;
  const set = Object.entries(agent.plan(plain, agent.tested).env).map(([name, value]) => `${name}=${value}`);
  const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
  return [
    `- Beside [what every agent gets](../agents.md#what-an-agent-gets-of-the-environment): ${code(passEnv)}.`,
    keys.length === 0 ? '- No variable gives it a key.' : `- A key is in ${keys.length === 1 ? '' : 'any of '}${code(keys)}.`,
    ...Object.entries(notKeys).map(([not, but]) => `- \`${not}\` looks like its key and is not: it wants \`${but}\`.`),
    logins.length === 0
      ? `- No login of ${title} is known that could stand in for a key.`
      : `- A login of its own does as well: ${code(logins.map((path) => `~/${path}`))}.`,
    ...(set.length === 0 ? [] : [`- Set for it, in mode \`edit\`: ${code(set)}.`]),
  ].join('\n');
}

interface Recorded {
  folder: string;
  scenario: string;
  events: readonly Record<string, unknown>[];
  verdict: { class: string; exit_code: number };
}

/** Runs of `codex@0.166.0`, `qwen-json@0.24.4`, … */
function recordedRuns(id: string): Recorded[] {
  const folders = readdirSync(recordings).filter((name) => name === id || name.startsWith(`${id}@`) || name.startsWith(`${id}-`));
  return folders.flatMap((folder) =>
    readdirSync(join(recordings, folder))
      .filter((scenario) => existsSync(join(recordings, folder, scenario, 'outcome.json')))
      .map((scenario) => {
        const read = (file: string): string => readFileSync(join(recordings, folder, scenario, file), 'utf8');
        const events = read('events.jsonl')
          .trimEnd()
          .split('\n')
          .map((each) => JSON.parse(each) as Record<string, unknown>);
        return { folder, scenario, events, verdict: (JSON.parse(read('outcome.json')) as Pick<Recorded, 'verdict'>).verdict };
      }),
  );
}

const facts: readonly (readonly [what: string, isTold: (event: Record<string, unknown>) => boolean])[] = [
  ['times of its own', ({ timestamp, source }) => source === 'agent' && timestamp !== null],
  ['its version', ({ type, agent_version }) => type === 'thread.started' && agent_version !== undefined],
  ['the model', ({ type, model }) => (type === 'thread.started' || type === 'usage.reported') && model !== undefined],
  ['the session', ({ type, session_id }) => type === 'thread.started' && session_id !== undefined],
  ['text as it is written', ({ type, synthetic }) => type === 'text.delta' && synthetic === false],
  ['reasoning', ({ type }) => type === 'reasoning.completed'],
  ['calls of tools', ({ type }) => type === 'item.started'],
  ['output of a tool while it works', ({ type }) => type === 'item.output'],
  ['exit codes of commands', ({ type, exit_code }) => type === 'item.completed' && exit_code !== undefined],
  ['changed files', ({ type }) => type === 'file.edited'],
  [
    'denials',
    ({ type, status, decision }) =>
      (type === 'item.completed' && status === 'denied') || (type === 'permission.resolved' && decision === 'denied'),
  ],
  ['questions for permission', ({ type }) => type === 'permission.requested'],
  ['retries of the model', ({ type }) => type === 'retry.scheduled'],
  ['tokens', ({ type, input_tokens }) => type === 'usage.reported' && input_tokens !== undefined],
  ['cached tokens', ({ type, cache_read_tokens }) => type === 'usage.reported' && cache_read_tokens !== undefined],
  ['reasoning tokens', ({ type, reasoning_tokens }) => type === 'usage.reported' && reasoning_tokens !== undefined],
  ['cost', ({ type, cost_usd, cost_source }) => type === 'usage.reported' && cost_usd !== undefined && cost_source !== 'computed'],
];

function tellsOf({ title, tellsUsage, sessionStore }: AgentCli, runs: readonly Recorded[]): string {
  const usage = { 'while it runs': 'while it runs', 'at its end': 'at its end', never: 'not at all' }[tellsUsage];
  const told = sessionStore === undefined ? `It tells its tokens ${usage}.` : 'Its output tells no tokens; its session file does.';
  if (runs.length === 0) return told;
  const events = runs.flatMap((run) => run.events);
  const [yes, no] = [true, false].map((wanted) => facts.filter(([, isTold]) => events.some(isTold) === wanted).map(([what]) => what));
  const lists = [
    `| ${title} tells, in the recorded runs | it never does |`,
    '| --- | --- |',
    `| ${(yes ?? []).join(', ') || 'nothing but its answer'} | ${(no ?? []).join(', ') || 'nothing of the kind'} |`,
  ];
  return `${told}\n\n${lists.join('\n')}\n\nWhat it does not tell is absent in the outcome, or computed and marked so (cost, from tokens and prices); times are Runwire's own in a live run.`;
}

const samples = ['codex@0.166.0', 'opencode@1.18.33', 'qwen@0.24.4'].flatMap((folder) =>
  ['multi-tool', 'denied', 'rate-limit-then-ok'].map((scenario) => join(recordings, folder, scenario, 'stdout.jsonl')),
);

/** What gets lost is tried, on runs of three agents: tools, a denial, a rate limit. */
async function writtenOf(id: string): Promise<string> {
  const { encoder, about, variants } = findDialect(id);
  if (encoder === undefined) return `Nothing: \`--to ${id}\` is not a format that Runwire writes.`;
  const lost = new Set<string>();
  for (const path of samples) {
    const lines = convert([readFileSync(path)], id, { onNote: ({ kind, what }) => void (kind === 'lost' && lost.add(what)) });
    for await (const each of lines) void each;
  }
  const names = (variants ?? []).map(({ name }) => `\`${id}:${name}\``);
  const more = names.length > 1 ? ` Variants: ${names.join(', ')}.` : '';
  const losses =
    lost.size === 0
      ? 'Nothing gets lost'
      : `What gets lost, as \`runwire convert\` calls it: ${[...lost]
          .toSorted()
          .map((each) => `\`${each}\``)
          .join(', ')}`;
  return `\`--to ${id}\` writes ${about.writes ?? 'it'}, of any agent's run.${more} ${losses}, tried with runs of several agents.`;
}

function sessionsOf({ title, abilities, sessionFiles, sessionStore, dialect }: AgentCli): string {
  const store = sessionStore ?? sessionFiles;
  const sentences = [
    abilities.resume
      ? `\`--resume ID\` resumes a session of ${title}; \`session_id\` of the outcome names it, and the line \`next:\` on stderr shows the whole command.`
      : `${title} cannot resume a session from its command line: \`--resume\` is refused.`,
    ...(store === undefined
      ? []
      : [
          `Its session files, below \`~/${store.home}/${store.folder}\` (or \`${store.variable}\`), are read where they tell what its output does not: what a resumed session had used before, or its tokens.`,
        ]),
    ...(/session/.test(findDialect(dialect).about.reads ?? '') ? ['`runwire runs import` reads the sessions that it keeps.'] : []),
  ];
  return sentences.join(' ');
}

function remarksOf({ id }: AgentCli): string {
  const known = remarks[id] ?? [];
  return known.length === 0 ? '' : `\n## Good to know\n\n${known.map((each) => `- ${each}`).join('\n')}\n`;
}

function recordedOf(runs: readonly Recorded[]): string {
  if (runs.length === 0) return '';
  const byFolder = Map.groupBy(runs, ({ folder }) => folder);
  const rows = [...byFolder].map(([folder, all]) => {
    const byClass = Map.groupBy(all, ({ verdict }) => verdict.class);
    const cells = [...byClass]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, each]) => `\`${name}\`: ${each.map(({ scenario }) => scenario).join(', ')}`);
    return `| ${folder} | ${cells.join('<br>')} |`;
  });
  return `\n## Recorded runs\n\nWhat each came to; the situations are those of a scripted model server, without a network.\n\n| version | class: situations |\n| --- | --- |\n${rows.join('\n')}\n`;
}
