import type { AgentCli } from '../../agents/agent-cli.ts';
import { agents, findAgent } from '../../agents/registry.ts';
import { Failure } from '../../failure.ts';
import { type Check, checkAgent, checkHost } from '../../agents/checkup.ts';
import { findInstalled } from '../../agents/installed.ts';
import { readUnknownShapes, type UnknownShape } from '../../agents/unknown-shapes.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { grid } from '../../terminal/table.ts';

export const doctor = command({
  name: 'doctor',
  summary: 'Check whether agents can be run here, from program to flags',
  operands: '[AGENT]',
  description:
    'Checks the agent, or all installed ones: program, version, key, and whether its help names every flag that we use. No model is called. Names the kinds of events that no decoder knew in earlier runs. Exits with 1 when something is wrong.',
  options: { json: { type: 'boolean', help: 'Print JSON' } },
  examples: [
    ['runwire doctor', 'Everything that is installed'],
    ['runwire doctor codex', 'One agent; not being installed is wrong'],
    ['runwire doctor --json | jq \'.agents[].checks[] | select(.status == "wrong")\'', 'What is wrong'],
  ],
  async run(values, operands, context) {
    const [name, more] = operands;
    if (more !== undefined) throw new Failure('input', 'doctor takes one agent at most');
    const chosen = await choose(name, context);
    const [host, shapes, ...checked] = await Promise.all([
      checkHost(context.env, process.versions.node),
      readUnknownShapes(context.env),
      ...chosen.map(async (agent) => ({ agent, checks: await checkAgent(agent, context.env) })),
    ]);
    const dialects = new Set(chosen.map(({ dialect }) => dialect));
    const seen = name === undefined ? shapes : shapes.filter(({ dialect }) => dialects.has(dialect));
    const isWell = [...host, ...checked.flatMap(({ checks }) => checks)].every(({ status }) => status !== 'wrong');
    await context.print(
      values.json === true
        ? `${JSON.stringify({ ok: isWell, host, agents: checked.map(({ agent, checks }) => ({ id: agent.id, checks })), unknown_shapes: seen }, null, 2)}\n`
        : `${section('Runwire', host)}${checked.map(({ agent, checks }) => section(agent.title, checks)).join('')}${unknownSection(seen)}${isWell ? '\nAll is well.\n' : '\nSomething is wrong.\n'}`,
    );
    return isWell ? 0 : 1;
  },
});

/** The built-in agent is a part of Runwire and has no program of its own. */
async function choose(name: string | undefined, context: Context): Promise<readonly AgentCli[]> {
  if (name === 'builtin') return [];
  if (name !== undefined) return [findAgent(name)];
  const found = await Promise.all(agents.map(async (agent) => ({ agent, ...(await findInstalled(agent, context.env)) })));
  return found.filter(({ path }) => path !== undefined).map(({ agent }) => agent);
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
