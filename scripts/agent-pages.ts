import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCli, Ask } from '../src/agents/agent-cli.ts';
import { agents } from '../src/agents/registry.ts';
import { findDialect } from '../src/dialects/registry.ts';
import { convert } from '../src/pipeline/convert.ts';
import { permissionModes } from '../src/words/vocabulary.ts';
import { remarks } from './agent-remarks.ts';

const recordings = join(import.meta.dirname, '..', 'test', 'recordings');
const plain: Ask = { prompt: 'PROMPT', cwd: '/', permissionMode: 'edit', directories: [], extraArgs: [] };

/** docs/agents/NAME.md for each agent: everything but the remarks comes from the registry, the recordings and what a conversion loses. */
export async function agentPages(): Promise<[path: string, text: string][]> {
  return Promise.all(
    agents.map(async (agent): Promise<[string, string]> => [`docs/agents/${agent.id}.md`, await pageOf(agent)]),
  );
}

async function pageOf(agent: AgentCli): Promise<string> {
  const { id, title, binaries, install, tested, dialect: speaks } = agent;
  const dialect = findDialect(speaks);
  const runs = recordedRuns(id);
  const recorded = runs.length === 0 ? '' : ` The tests read ${runs.length} recorded runs.`;
  const known =
    tested === undefined
      ? `Its command line is known only from its documentation; Runwire has not started it here.${recorded}`
      : `Tried with **${tested}**; known differences of older and newer versions are taken into account.${recorded}`;
  return `# ${title}

Made from the registry by \`npm run generate\`. What applies to all agents is in [Agents](../agents.md).

\`runwire run --agent ${id} "PROMPT"\` starts \`${binaries.join('` or `')}\`. Install it with \`${install}\`; \`runwire doctor ${id}\` checks it, \`runwire agents ${id}\` shows the
command line of a run on your machine. ${known}

## What is passed

${commandTable(agent)}

${limitsOf(agent)}

## Its environment

${environmentOf(agent)}

## What is read

The dialect [\`${dialect.id}\`](../dialects.md): ${dialect.about.reads ?? 'nothing'}. \`runwire outcome FILE\` also reads stored output.

${tellsOf(agent, runs)}

## What is written

${await writtenOf(dialect.id)}

## Sessions

${sessionsOf(agent)}
${remarksOf(agent)}${recordedOf(runs)}`;
}

function line(agent: AgentCli, ask: Partial<Ask>): string {
  const { args, stdin, refused } = agent.plan({ ...plain, ...ask }, agent.tested);
  return (
    refused ??
    `\`${[agent.binaries[0], ...args].join(' ').replaceAll('|', '\\|')}${stdin === undefined ? '' : ' < PROMPT'}\``
  );
}

function commandTable(agent: AgentCli): string {
  const { abilities, acp, binaries, id } = agent;
  const rows = [
    ...permissionModes.map((mode) => [`\`--permission-mode ${mode}\``, line(agent, { permissionMode: mode })]),
    ...(abilities.model ? [['`--model anthropic/NAME`', line(agent, { model: 'anthropic/NAME' })]] : []),
    ...(abilities.resume ? [['`--resume ID`', line(agent, { resume: 'ID' })]] : []),
    ...(abilities.ownLimits.length > 0
      ? [['`--max-turns 9 --max-cost-usd 2`', line(agent, { maxTurns: 9, maxCostUsd: 2 })]]
      : []),
    ...(acp === undefined
      ? []
      : [[`\`--agent acp:${id}\``, `\`${[binaries[0], ...acp.args].join(' ')}\`, over [ACP](../acp.md)`]]),
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
  const lacks = permissionModes.flatMap(
    (permissionMode) => agent.plan({ ...all, permissionMode }, agent.tested).unsupported,
  );
  const sentences = [...new Set(lacks)];
  if (sessionStore !== undefined)
    sentences.push(
      'Its tokens and turns are read from its session file while it runs; limits stop it as soon as that file has them.',
    );
  else if (tellsUsage === 'at its end')
    sentences.push(
      'It reports its tokens only at the end: `--max-cost-usd` and `--max-tokens` cannot stop it before that.',
    );
  else if (tellsUsage === 'never')
    sentences.push(
      'It never reports its tokens: `--max-cost-usd` and `--max-tokens` cannot stop it, and its cost is unknown.',
    );
  if (sessionStore === undefined && tellsTurnsAtEnd === true)
    sentences.push('`--max-turns` cannot stop it before its end either.');
  const own = abilities.ownLimits;
  if (own.length > 0)
    sentences.push(`It enforces a limit on ${own.join(' and ')} by itself; Runwire watches all limits as well.`);
  return sentences.length === 0
    ? 'It can do everything that `runwire run` can ask for.'
    : `What it cannot do, and what else you should know before a run:\n\n${sentences.map((each) => `- ${each}`).join('\n')}`;
}

function environmentOf(agent: AgentCli): string {
  const { passEnv, keys, notKeys = {}, logins, title } = agent;
  const set = Object.entries(agent.plan(plain, agent.tested).env).map(([name, value]) => `${name}=${value}`);
  const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
  return [
    `- In addition to [what every agent gets](../agents.md#what-an-agent-gets-of-the-environment): ${code(passEnv)}.`,
    keys.length === 0
      ? '- No variable gives it a key.'
      : `- Its key can be in ${keys.length === 1 ? '' : 'any of '}${code(keys)}.`,
    ...Object.entries(notKeys).map(([not, but]) => `- \`${not}\` looks like its key but is not: it needs \`${but}\`.`),
    logins.length === 0
      ? `- ${title} has no known login that could replace a key.`
      : `- Its own login also works: ${code(logins.map((path) => `~/${path}`))}.`,
    ...(set.length === 0 ? [] : [`- Runwire sets, in mode \`edit\`: ${code(set)}.`]),
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
  const folders = readdirSync(recordings).filter(
    (name) => name === id || name.startsWith(`${id}@`) || name.startsWith(`${id}-`),
  );
  return folders.flatMap((folder) =>
    readdirSync(join(recordings, folder))
      .filter((scenario) => existsSync(join(recordings, folder, scenario, 'outcome.json')))
      .map((scenario) => {
        const read = (file: string): string => readFileSync(join(recordings, folder, scenario, file), 'utf8');
        const events = read('events.jsonl')
          .trimEnd()
          .split('\n')
          .map((each) => JSON.parse(each) as Record<string, unknown>);
        return {
          folder,
          scenario,
          events,
          verdict: (JSON.parse(read('outcome.json')) as Pick<Recorded, 'verdict'>).verdict,
        };
      }),
  );
}

const facts: readonly (readonly [what: string, isTold: (event: Record<string, unknown>) => boolean])[] = [
  ['timestamps', ({ timestamp, source }) => source === 'agent' && timestamp !== null],
  ['its version', ({ type, agent_version }) => type === 'thread.started' && agent_version !== undefined],
  ['the model', ({ type, model }) => (type === 'thread.started' || type === 'usage.reported') && model !== undefined],
  ['the session', ({ type, session_id }) => type === 'thread.started' && session_id !== undefined],
  ['text as it is written', ({ type, synthetic }) => type === 'text.delta' && synthetic === false],
  ['reasoning', ({ type }) => type === 'reasoning.completed'],
  ['tool calls', ({ type }) => type === 'item.started'],
  ['tool output while the tool runs', ({ type }) => type === 'item.output'],
  ['exit codes of commands', ({ type, exit_code }) => type === 'item.completed' && exit_code !== undefined],
  ['changed files', ({ type }) => type === 'file.edited'],
  [
    'denials',
    ({ type, status, decision }) =>
      (type === 'item.completed' && status === 'denied') || (type === 'permission.resolved' && decision === 'denied'),
  ],
  ['permission requests', ({ type }) => type === 'permission.requested'],
  ['retries of model calls', ({ type }) => type === 'retry.scheduled'],
  ['tokens', ({ type, input_tokens }) => type === 'usage.reported' && input_tokens !== undefined],
  ['cached tokens', ({ type, cache_read_tokens }) => type === 'usage.reported' && cache_read_tokens !== undefined],
  ['reasoning tokens', ({ type, reasoning_tokens }) => type === 'usage.reported' && reasoning_tokens !== undefined],
  [
    'cost',
    ({ type, cost_usd, cost_source }) =>
      type === 'usage.reported' && cost_usd !== undefined && cost_source !== 'computed',
  ],
];

function tellsOf({ title, tellsUsage, sessionStore }: AgentCli, runs: readonly Recorded[]): string {
  const usage = { 'while it runs': 'while it runs', 'at its end': 'at the end', never: 'not at all' }[tellsUsage];
  const told =
    sessionStore === undefined
      ? `It reports its tokens ${usage}.`
      : 'Its output does not report tokens; its session file does.';
  if (runs.length === 0) return told;
  const events = runs.flatMap((run) => run.events);
  const [yes, no] = [true, false].map((wanted) =>
    facts.filter(([, isTold]) => events.some(isTold) === wanted).map(([what]) => what),
  );
  const lists = [
    `| ${title} reports, in the recorded runs | it never reports |`,
    '| --- | --- |',
    `| ${(yes ?? []).join(', ') || 'only its answer'} | ${(no ?? []).join(', ') || 'nothing: it reports everything'} |`,
  ];
  return `${told}\n\n${lists.join('\n')}\n\nWhat it does not report is absent from the outcome, or computed and marked as computed (cost, from tokens and prices); in a live run, Runwire adds its own timestamps.`;
}

const samples = ['codex@0.166.0', 'opencode@1.18.33', 'qwen@0.24.4'].flatMap((folder) =>
  ['multi-tool', 'denied', 'rate-limit-then-ok'].map((scenario) => join(recordings, folder, scenario, 'stdout.jsonl')),
);

/** Finds out what gets lost by converting runs of three agents: tools, a denial, a rate limit. */
async function writtenOf(id: string): Promise<string> {
  const { encoder, about, variants } = findDialect(id);
  if (encoder === undefined) return `Nothing: \`--to ${id}\` is not a format that Runwire writes.`;
  const lost = new Set<string>();
  for (const path of samples) {
    const lines = convert([readFileSync(path)], id, {
      onNote: ({ kind, what }) => void (kind === 'lost' && lost.add(what)),
    });
    for await (const each of lines) void each;
  }
  const names = (variants ?? []).map(({ name }) => `\`${id}:${name}\``);
  const more = names.length > 1 ? ` Variants: ${names.join(', ')}.` : '';
  const losses =
    lost.size === 0
      ? 'Nothing is lost'
      : `What is lost, in the terms of \`runwire convert\`: ${[...lost]
          .toSorted()
          .map((each) => `\`${each}\``)
          .join(', ')}`;
  return `\`--to ${id}\` writes ${about.writes ?? 'it'}, for any agent's run.${more} ${losses} (tried with runs of several agents).`;
}

function sessionsOf({ title, abilities, sessionFiles, sessionStore, dialect }: AgentCli): string {
  const store = sessionStore ?? sessionFiles;
  const sentences = [
    abilities.resume
      ? `\`--resume ID\` resumes a session of ${title}; \`session_id\` in the outcome is its ID, and the \`next:\` line on stderr shows the whole command.`
      : `${title} cannot resume a session from its command line: \`--resume\` is refused.`,
    ...(store === undefined
      ? []
      : [
          `Its session files, below \`~/${store.home}/${store.folder}\` (or \`${store.variable}\`), are read for what its output does not report: what a resumed session had used before, or its tokens.`,
        ]),
    ...(/session/.test(findDialect(dialect).about.reads ?? '')
      ? ['`runwire runs import` reads the sessions that it keeps.']
      : []),
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
  return `\n## Recorded runs\n\nThe outcome of each; the situations were produced by a scripted model server, without a network.\n\n| version | class: situations |\n| --- | --- |\n${rows.join('\n')}\n`;
}
