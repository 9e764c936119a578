import type { AgentCli, Ask, Plan } from '../../agents/agent-cli.ts';
import { agents, findAgent } from '../../agents/registry.ts';
import { Failure } from '../../failure.ts';
import { findInstalled, type Installed } from '../../agents/installed.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { plain } from '../../terminal/plain.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { grid } from '../../terminal/table.ts';
import type { PermissionMode } from '../../vocabulary.ts';

export const agentsCommand = command({
  name: 'agents',
  summary: 'List the agents that can be run, and which are installed here',
  operands: '[AGENT]',
  description:
    'Looks for each agent in PATH, asks it for its version, and tells what can be asked of it. With an agent, its details and the exact command line of a run.',
  options: { json: { type: 'boolean', help: 'Print JSON' } },
  examples: [
    ['runwire agents', 'A table'],
    ['runwire agents codex', 'All about one of them'],
    ["runwire agents --json | jq -r '.[] | select(.installed) | .id'", 'The installed ones'],
  ],
  async run(values, operands, context) {
    const [name, more] = operands;
    if (more !== undefined) throw new Failure('input', 'agents takes one agent at most');
    if (name === 'builtin')
      throw new Failure('input', 'the built-in agent is a part of Runwire and has no command line; see "runwire run --help"');
    const chosen = name === undefined ? agents : [findAgent(name)];
    const found = await Promise.all(chosen.map(async (agent) => ({ agent, installed: await findInstalled(agent, context.env) })));
    if (values.json === true) {
      await context.print(
        `${JSON.stringify(
          found.map((each) => reportOf(each, context)),
          null,
          2,
        )}\n`,
      );
      return 0;
    }
    const [first] = found;
    await context.print(name === undefined || first === undefined ? overview(found) : details(first, context));
    return 0;
  },
});

interface Found {
  agent: AgentCli;
  installed: Installed;
}

function overview(found: readonly Found[]): string {
  const rows = found.map(({ agent, installed }) => [
    agent.id,
    installed.path === undefined ? '-' : (installed.version ?? '?'),
    installed.path ?? '-',
    agent.dialect,
    supportOf(agent),
  ]);
  const missing = found.filter(({ installed }) => installed.path === undefined);
  const install = grid(missing.map(({ agent, installed }) => [`  ${agent.id}`, agent.install, noteOf(installed)]));
  return `${grid([['AGENT', 'VERSION', 'PATH', 'DIALECT', 'SUPPORTS'], ...rows])}${missing.length === 0 ? '' : `\nNot installed:\n${install}`}`;
}

/** That it is not in PATH goes without saying. */
const noteOf = ({ problem = '' }: Installed): string => (problem.startsWith('no ') ? '' : `(${problem})`);

function supportOf({ abilities: { model, resume, permissionModes, ownLimits } }: AgentCli): string {
  return [
    ...(model ? ['model'] : []),
    ...(resume ? ['resume'] : []),
    ...permissionModes,
    ...(ownLimits.length === 0 ? [] : [`own limits: ${ownLimits.join(' and ')}`]),
  ].join(', ');
}

const modes: readonly PermissionMode[] = ['read-only', 'edit', 'full'];

const sampleAsk = (permissionMode: PermissionMode, cwd: string): Ask => ({
  prompt: 'fix the tests',
  cwd,
  permissionMode,
  directories: [],
  extraArgs: [],
});

function plansOf({ agent, installed }: Found, { cwd }: Context): { mode: PermissionMode; plan: Plan; line: string }[] {
  const binary = installed.path ?? agent.binaries[0] ?? agent.id;
  return modes.map((mode) => {
    const plan = agent.plan(sampleAsk(mode, cwd), installed.version);
    const before = plan.stdin === undefined ? '' : `printf %s ${shellQuote([plan.stdin])} | `;
    const after = plan.stdin === undefined ? ' < /dev/null' : '';
    const variables = Object.entries(plan.env).map(([name, value]) => `${name}=${shellQuote([value])} `);
    return { mode, plan, line: `${before}${variables.join('')}${shellQuote([binary, ...plan.args])}${after}` };
  });
}

function details(found: Found, context: Context): string {
  const { agent, installed } = found;
  const facts = [
    ['agent', agent.title],
    [
      'installed',
      installed.path === undefined ? `no: ${installed.problem ?? ''}` : `${installed.version ?? 'unknown version'}, ${installed.path}`,
    ],
    ...(installed.path !== undefined && installed.problem !== undefined ? [['problem', installed.problem]] : []),
    ['install', agent.install],
    ['tried with', agent.tested ?? 'its documents alone'],
    ['dialect', agent.dialect],
    ['supports', supportOf(agent)],
    ['prompt by', agent.abilities.prompt],
    ['key', [...agent.keys, ...agent.logins.map((path) => `~/${path}`)].join(', ')],
    ['gets', agent.passEnv.join(', ')],
  ];
  const plans = plansOf(found, context).map(
    ({ mode, plan, line }) =>
      `\n--permission-mode ${mode}:\n  ${plain(line)}\n${plan.unsupported.map((sentence) => `  ${sentence}\n`).join('')}`,
  );
  return `${grid(facts)}\nA run with the prompt "fix the tests":\n${plans.join('')}`;
}

function reportOf(found: Found, context: Context): object {
  const { agent, installed } = found;
  return {
    id: agent.id,
    title: agent.title,
    installed: installed.path !== undefined,
    path: installed.path ?? null,
    version: installed.version ?? null,
    problem: installed.problem ?? null,
    tested: agent.tested ?? null,
    dialect: agent.dialect,
    install: agent.install,
    abilities: {
      model: agent.abilities.model,
      resume: agent.abilities.resume,
      permission_modes: agent.abilities.permissionModes,
      own_limits: agent.abilities.ownLimits,
      prompt: agent.abilities.prompt,
    },
    keys: agent.keys,
    logins: agent.logins,
    pass_env: agent.passEnv,
    plans: Object.fromEntries(
      plansOf(found, context).map(({ mode, plan, line }) => [
        mode,
        { command: line, args: plan.args, env: plan.env, stdin: plan.stdin ?? null, unsupported: plan.unsupported },
      ]),
    ),
  };
}
