import { type AgentCli, type Ask, knowledgeOf, type Plan } from '../../agents/agent-cli.ts';
import { agents, findAgent } from '../../agents/registry.ts';
import { Failure } from '../../failure.ts';
import { findInstalled, type Installed } from '../../agents/installed.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { ago } from '../../terminal/figures.ts';
import { fit } from '../../terminal/cells.ts';
import { oneLine, plain } from '../../terminal/plain.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { type Column, grid, table } from '../../terminal/table.ts';
import { screenOf } from '../screen.ts';
import type { PermissionMode } from '../../words/vocabulary.ts';

export const agentsCommand = command({
  name: 'agents',
  summary: 'List the agents that can be run, and which are installed here',
  operands: '[AGENT]',
  description:
    'Looks for each agent in PATH, asks for its version, and lists what it supports: permission modes, choosing a model, resuming a session, limits of its own. With AGENT, prints its details and the exact command line of a run.',
  options: { json: { type: 'boolean', help: 'Print JSON' } },
  examples: [
    ['runwire agents', 'A table'],
    ['runwire agents codex', 'Details of one agent'],
    ["runwire agents --json | jq -r '.[] | select(.installed) | .id'", 'The installed ones'],
  ],
  async run(values, operands, context) {
    const [name, more] = operands;
    if (more !== undefined) throw new Failure('input', 'agents takes one agent at most');
    if (name === 'builtin')
      throw new Failure(
        'input',
        'the built-in agent is part of Runwire and has no command line; see "runwire run --help"',
      );
    const chosen = name === undefined ? agents : [findAgent(name)];
    const found = await Promise.all(
      chosen.map(async (agent) => ({ agent, now: context.now(), installed: await findInstalled(agent, context.env) })),
    );
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
    await context.show(name === undefined || first === undefined ? overview(found, context) : details(first, context));
    return 0;
  },
});

interface Found {
  now: number;
  agent: AgentCli;
  installed: Installed;
}

/** With the line above and those below, as many as a terminal shows. */
const mostRows = 20;
/** In a file or a pipe nothing is cut. */
const unbounded = 1000;

/** Fits on a terminal of 80 columns and 24 rows. */
function overview(found: readonly Found[], context: Context): string {
  const { width, colours } = screenOf(context);
  const isCut = context.stdoutIsTerminal || context.env['COLUMNS'] !== undefined;
  const here = found.filter(({ installed }) => installed.path !== undefined);
  const rest = found.filter(({ installed }) => installed.path === undefined);
  const problems = found.flatMap(({ agent: { id }, installed: { problem = '' } }) =>
    isTold(problem) ? [`${id}: ${problem}`] : [],
  );
  // On a terminal the table takes precedence.
  const shown = isCut ? problems.slice(0, 1) : problems;
  const more = problems.length - shown.length;
  const all = [...here, ...rest];
  const rows = isCut && all.length > mostRows ? all.slice(0, mostRows - 1) : all;
  const unlisted = all.slice(rows.length).map(({ agent }) => agent.id);
  return [
    table(columns, rows, { width: isCut ? width : unbounded, colours }),
    unlisted.length === 0 ? '' : `${fit(`and ${unlisted.join(', ')}`, width)}\n`,
    ...(problems.length === 0
      ? []
      : ['\n', ...shown.map((line) => `${fit(plain(line), isCut ? width : unbounded)}\n`)]),
    ...(more > 0 ? [`${more} more: runwire doctor\n`] : []),
    rest.length === 0 ? '' : '\nHow to install one, and its exact command line: runwire agents NAME\n',
  ].join('');
}

const tiers = {
  live: { short: 'live', long: 'driven live' },
  files: { short: 'files', long: 'read from real files' },
  documents: { short: 'documents', long: 'by its documents' },
} as const;

const columns: readonly Column<Found>[] = [
  { title: 'AGENT', cell: ({ agent }) => agent.id },
  {
    title: 'VERSION',
    cell: ({ installed }) => (installed.path === undefined ? '-' : oneLine(installed.version ?? '?', 14)),
  },
  { title: 'PERMISSION MODES', cell: ({ agent }) => agent.abilities.permissionModes.join(', ') },
  {
    title: 'KNOWN',
    leaves: 2,
    cell: ({ agent, now }) => {
      const { by, at } = knowledgeOf(agent);
      return `${tiers[by].short}, ${ago(Date.parse(at), now)}`;
    },
  },
  { title: 'TAKES', cell: ({ agent }) => takes(agent).join(', ') },
  {
    title: 'PATH, OR HOW TO INSTALL IT',
    fills: true,
    leaves: 1,
    cell: ({ agent, installed }) => installed.path ?? agent.install,
  },
];

/** That it is not in PATH goes without saying. */
const isTold = (problem: string): boolean => problem !== '' && !problem.startsWith('no ');

function takes({ abilities: { model, resume, ownLimits } }: AgentCli): string[] {
  return [...(model ? ['model'] : []), ...(resume ? ['resume'] : []), ...ownLimits];
}

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
      installed.path === undefined
        ? `no: ${installed.problem ?? ''}`
        : `${installed.version ?? 'unknown version'}, ${installed.path}`,
    ],
    ...(installed.path !== undefined && installed.problem !== undefined ? [['problem', installed.problem]] : []),
    ['install', agent.install],
    ['known', knownInWords(found)],
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

function knownInWords({ agent, now }: Found): string {
  const { by, version, at } = knowledgeOf(agent);
  return `${tiers[by].long}${version === undefined ? '' : ` with ${version}`}, ${at} (${ago(Date.parse(at), now)})`;
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
    known: knowledgeOf(agent),
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
