import { resolve } from 'node:path';
import { acpCommand } from '../../agents/acp-command.ts';
import type { AgentCli } from '../../agents/agent-cli.ts';
import { agents, findAgent } from '../../agents/registry.ts';
import { type Config, loadConfig } from '../../builtin/config/config.ts';
import { Failure, messageOf } from '../../failure.ts';
import { present } from '../../json/present.ts';
import { type Check, checkAgent, checkHost } from '../../agents/checkup.ts';
import { findInstalled } from '../../agents/installed.ts';
import { readUnknownShapes, type UnknownShape } from '../../agents/unknown-shapes.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { acpAgent, builtIn } from '../../words/vocabulary.ts';
import { grid } from '../../terminal/table.ts';

export const doctor = command({
  name: 'doctor',
  summary: 'Check whether agents can run here: program, version, key and flags',
  operands: '[AGENT]',
  description:
    'Checks one agent, or all that are installed: program, version, key, and whether its help lists every flag that Runwire uses; for the built-in agent, model and key. No model is called. Also lists the kinds of events in earlier runs that no decoder recognised. Exits with 1 when something is wrong.',
  options: {
    quota: {
      type: 'boolean',
      help: 'Show what is known of the quotas of agents instead: windows, how much is left, when they reset, and how old that is',
    },
    json: { type: 'boolean', help: 'Print JSON' },
  },
  examples: [
    ['runwire doctor', 'Everything that is installed'],
    ['runwire doctor codex', 'One agent; it is an error if it is not installed'],
    [
      'runwire doctor "acp:my-agent --acp"',
      'Check that a command speaks ACP: it is started and initialised, nothing more',
    ],
    ['runwire doctor --quota', 'What is left of each quota; nobody is asked'],
    ['runwire doctor --json | jq \'.agents[].checks[] | select(.status == "wrong")\'', 'What is wrong'],
  ],
  async run(values, operands, context) {
    const [name, more] = operands;
    if (more !== undefined) throw new Failure('input', 'doctor takes one agent at most');
    if (values.quota === true) return showQuota(name, values.json === true, context);
    const acp = name === undefined ? undefined : acpCommand(name === acpAgent ? `${acpAgent}:` : name);
    const chosen = acp === undefined ? await choose(name, context) : [];
    const [host, builtin, shapes, ...checked] = await Promise.all([
      checkHost(context.env, process.versions.node),
      name === undefined || name === builtIn ? checkBuiltIn(context, name === undefined && chosen.length === 0) : [],
      readUnknownShapes(context.env),
      ...chosen.map(async (agent) => ({
        id: agent.id,
        title: agent.title,
        checks: await checkAgent(agent, context.env),
      })),
      ...(acp === undefined ? [] : [checkCommand(acp, context)]),
    ]);
    const dialects = new Set(acp === undefined ? chosen.map(({ dialect }) => dialect) : [acpAgent]);
    const seen = name === undefined ? shapes : shapes.filter(({ dialect }) => dialects.has(dialect));
    const isWell = [...host, ...builtin, ...checked.flatMap(({ checks }) => checks)].every(
      ({ status }) => status !== 'wrong',
    );
    await context.print(
      values.json === true
        ? `${JSON.stringify({ ok: isWell, host, builtin, agents: checked.map(({ id, checks }) => ({ id, checks })), unknown_shapes: seen }, null, 2)}\n`
        : `${section('Runwire', host)}${builtin.length === 0 ? '' : section('The built-in agent', builtin)}${checked.map(({ title, checks }) => section(title, checks)).join('')}${unknownSection(seen)}\n${closing(isWell, builtin)}\n`,
    );
    return isWell ? 0 : 1;
  },
});

/** What agents, their providers and their session files told before; nobody is asked for it. */
async function showQuota(name: string | undefined, isJson: boolean, context: Context): Promise<number> {
  const { quotaRows, quotaTable } = await import('../quota.ts');
  const agent = name === undefined || name === builtIn ? name : findAgent(name).id;
  const rows = await quotaRows(context, agent === undefined ? undefined : new Set([agent]));
  await (isJson
    ? context.print(`${JSON.stringify({ quota: rows }, null, 2)}\n`)
    : context.show(quotaTable(rows, context)));
  return 0;
}

function closing(isWell: boolean, builtin: readonly Check[]): string {
  if (!isWell) return 'Something is wrong.';
  return builtin.some(({ status }) => status === 'unsure')
    ? 'Nothing is wrong, but the built-in agent has no model.'
    : 'All is well.';
}

/** The built-in agent is part of Runwire and has no program of its own. */
async function choose(name: string | undefined, context: Context): Promise<readonly AgentCli[]> {
  if (name === builtIn) return [];
  if (name !== undefined) return [findAgent(name)];
  const found = await Promise.all(
    agents.map(async (agent) => ({ agent, ...(await findInstalled(agent, context.env)) })),
  );
  return found.filter(({ path }) => path !== undefined).map(({ agent }) => agent);
}

async function checkCommand(
  words: readonly string[],
  { env, cwd }: Context,
): Promise<{ id: string; title: string; checks: Check[] }> {
  const { checkAcp } = await import('../../run/sources/acp/checkup.ts');
  const [program = '', ...rest] = words;
  const named = program.includes('/') ? [resolve(cwd, program), ...rest] : words;
  return { id: acpAgent, ...(await checkAcp(named, env, cwd)) };
}

/** Whether a model is named and can be called; `isAll`: there is no other agent to run. */
async function checkBuiltIn({ env, cwd }: Context, isAll: boolean): Promise<Check[]> {
  const wrong = (what: string, error: unknown): Check => ({ what, status: 'wrong', detail: messageOf(error) });
  let config: Config;
  try {
    config = await loadConfig({ cwd, env });
  } catch (error) {
    return [wrong('config', error)];
  }
  const model = env.RUNWIRE_MODEL ?? config.model;
  if (model === undefined || model === '') {
    const detail = `none: name one with --model PROVIDER/NAME, in RUNWIRE_MODEL, or as "model" in your config file${isAll ? '; no other agent is installed' : ''}`;
    return [{ what: 'model', status: isAll ? 'wrong' : 'unsure', detail }];
  }
  try {
    const { openModel } = await import('../../builtin/models/providers.ts');
    await openModel({
      model,
      env,
      cwd,
      sessionId: 'doctor',
      ...present({ keys: config.keys, baseUrl: config.baseUrl }),
    });
  } catch (error) {
    return [{ what: 'model', status: 'ok', detail: model }, wrong('key', error)];
  }
  return [
    { what: 'model', status: 'ok', detail: model },
    { what: 'key', status: 'ok', detail: 'there, as far as one is needed' },
  ];
}

const marks: Record<Check['status'], string> = { ok: 'ok', unsure: '??', wrong: 'XX' };

function section(title: string, checks: readonly Check[]): string {
  return `${title}\n${grid(checks.map(({ what, status, detail }) => [`  ${marks[status]}`, what, detail]))}`;
}

function unknownSection(shapes: readonly UnknownShape[]): string {
  if (shapes.length === 0) return '';
  const rows = shapes.map(({ dialect, shape, count, agent_version, last_seen }) => [
    '  ??',
    dialect,
    `${shape}: ${count} times, last ${last_seen}${agent_version === undefined ? '' : `, version ${agent_version}`}`,
  ]);
  return `Events that no decoder knew\n${grid(rows)}`;
}
