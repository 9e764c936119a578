import { loadCommands } from '../src/cli/commands.ts';
import { exitCodeTable, flagOf, optionGroups } from '../src/cli/help.ts';
import { version } from '../src/version.ts';

const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

/** Variables that are not specific to one agent; flags take precedence over them. A test finds those that the source reads and this list lacks. */
const variables: readonly (readonly [name: string, meaning: string])[] = [
  ['RUNWIRE_MODEL', 'The model of the built-in agent if --model does not name one: provider/name.'],
  ['RUNWIRE_API_KEY', 'The key for openai-compatible/NAME, if that server requires one.'],
  [
    'OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, GOOGLE_API_KEY, AZURE_API_KEY, AZURE_OPENAI_API_KEY',
    'Keys for the other providers. docs/agent.md lists the variables for their addresses.',
  ],
  [
    'RUNWIRE_TRUST_PROJECT',
    '1: for this run, let the runwire.json of this repository do more than narrow permissions.',
  ],
  [
    'RUNWIRE_CONFIG_KEYS',
    'none: do not use the keys in the config file; a worker sets it for a run that names an address of its own.',
  ],
  [
    'RUNWIRE_SETTLE',
    'Set by Runwire for the runs that it starts in private copies: model calls under way may end before the run does.',
  ],
  ['RUNWIRE_NAMESPACE', 'off: run commands of the built-in agent without separate namespaces; sudo needs that.'],
  [
    'RUNWIRE_REPLAY_SPEED',
    'How fast a replay/FILE model answers: max (the default) is at once, 1 is as recorded, 10 is ten times as fast.',
  ],
  ['RUNWIRE_LEDGER', 'Where runs are recorded: a file, postgres://..., none.'],
  [
    'PGHOST, PGPORT, PGUSER, PGPASSWORD, PGPASSFILE, PGDATABASE, PGSSLMODE, PGSSLROOTCERT, PGSSLCERT, PGSSLKEY',
    'Whatever the address of a PostgreSQL ledger leaves out, as for psql.',
  ],
  ['RUNWIRE_TAPES', 'Where the events of runs are kept: s3://bucket/prefix, postgres, files.'],
  [
    'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN',
    'The key of that bucket, and the token of a temporary key.',
  ],
  ['AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL', 'Where that bucket is.'],
  [
    'RUNWIRE_REPORT, RUNWIRE_REPORT_TOKEN',
    'A "runwire serve" elsewhere to which every run is reported, and the token for it.',
  ],
  [
    'RUNWIRE_READ_TOKEN, RUNWIRE_STOP_TOKEN',
    'For "runwire serve": tokens for programs that may read, or read and stop. Programs with RUNWIRE_REPORT_TOKEN may report to it.',
  ],
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_*',
    'Where spans are sent, and how; docs/telemetry.md lists all of these variables.',
  ],
  ['TRACEPARENT, TRACESTATE', 'The trace that a run belongs to.'],
  [
    'GITHUB_ACTIONS, GITLAB_CI, BUILDKITE',
    'Which CI a run writes log sections, annotations and outputs for; --no-github turns all of that off.',
  ],
  ['NO_COLOR, FORCE_COLOR, CI, TERM', 'Whether colours are used, and whether anything is drawn in place.'],
  ['XDG_STATE_HOME, XDG_CONFIG_HOME', 'The folders of the ledger, tapes and sessions, and of the config file.'],
  [
    'RUNWIRE_STATUS, RUNWIRE_CLASS, RUNWIRE_EXIT_CODE, RUNWIRE_SESSION_ID',
    'Set for the command of --on-end: how the run ended.',
  ],
  ['RUNWIRE_WIRE_TOKEN', 'Set for Codex with --wire, where its settings hold a key: the token that it sends instead.'],
  [
    'RUNWIRE_SLOT, RUNWIRE_PORT_BASE',
    'Set for agents in a private copy: the number of the copy, and the first of a hundred ports that no other copy uses.',
  ],
  ['RUNWIRE_RUNS', 'Set for every process of a run, so that all of them can be found and ended. Not for you to set.'],
  ['RUNWIRE_PATIENCE', 'Scales the waiting times before processes are ended; for tests of Runwire itself.'],
];

/** At their default places, which the variables above can change. A test compares the names below the state folder with those that the source creates. */
const files: readonly (readonly [path: string, meaning: string])[] = [
  ['~/.config/runwire/config.json', 'Your own settings: keys, models, prices, permissions, tapes.'],
  ['runwire.json', 'Settings of a repository. They may only narrow permissions, unless the repository is trusted.'],
  ['~/.local/state/runwire/ledger.db', 'The ledger.'],
  [
    '~/.local/state/runwire/usage.index',
    'What was counted in the sessions of agents. It can be deleted: they are then read again.',
  ],
  ['~/.local/state/runwire/tapes/', 'The tapes: every event of the runs in the ledger.'],
  ['~/.local/state/runwire/orders/', 'What was asked of runs that are going on: pause, resume, other limits.'],
  ['~/.local/state/runwire/orchestrations/', 'What an orchestration needs to go on with --resume.'],
  ['~/.local/state/runwire/outbox/', 'What is waiting for a ledger or a bucket that cannot be reached.'],
  ['~/.local/state/runwire/reports/', 'What is waiting for a --report server that cannot be reached.'],
  ['~/.local/state/runwire/sessions/', 'The sessions of the built-in agent, for --resume.'],
  ['~/.local/state/runwire/scratchpads/', 'The logs named in --json responses, for runs in private copies.'],
  ['~/.local/state/runwire/copies/', 'Private copies of checkouts, while they are in use.'],
  ['~/.local/state/runwire/fleet/', 'Repositories and checkouts of "runwire worker".'],
  ['~/.local/state/runwire/serve.token', 'Your token for "runwire serve".'],
  [
    '~/.local/state/runwire/quota.json',
    'What runs and status lines said of the quotas of agents; "runwire doctor --quota" shows it.',
  ],
  [
    '~/.local/state/runwire/unknown-shapes.json',
    'Kinds of lines that this version does not know; "runwire doctor" lists them.',
  ],
  ['.dexter/scratchpad/', 'In the working folder: the logs named in --json responses.'],
];

/** docs/man/runwire.1, from the same tables as --help. In ASCII, because not every troff expects UTF-8. */
export async function manPage(): Promise<string> {
  return (await pageText())
    .replaceAll('…', '...')
    .replaceAll(
      /\P{ASCII}/gu,
      (each) => `\\[u${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}

async function pageText(): Promise<string> {
  const all = await loadCommands();
  const sections = all.map((command) => {
    const groups = optionGroups(command);
    const flags = groups.flatMap(({ title, options }) => [
      groups.length === 1 ? '' : `.PP\n${roff(title)}:\n`,
      ...options.map(([name, option]) => `.TP\n.B ${roff(flagOf(name, option).trim())}\n${roff(option.help)}\n`),
    ]);
    const examples = command.examples.map(
      ([line, what]) => `.PP\n${roff(what)}:\n.PP\n.nf\n.RS\n${roff(line)}\n.RE\n.fi\n`,
    );
    return `.SS runwire ${command.name} ${roff(command.operands ?? '')}\n${roff(command.summary)}.\n.PP\n${roff(command.description)}\n${flags.join('')}${examples.join('')}`;
  });
  const codes = exitCodeTable.map(([code, name, meaning]) => `.TP\n.B ${code} (${name})\n${roff(meaning)}\n`);
  return `.TH RUNWIRE 1 "" "runwire ${version}" "User Commands"
.SH NAME
runwire \\- the truth, in JSON, about what an AI agent did
.SH SYNOPSIS
.B runwire
[OPTIONS]
.I PROMPT
.br
.B runwire
.I COMMAND
[OPTIONS] [FILE...]
.SH DESCRIPTION
Runs an AI agent on a prompt, or reads the output of any agent, and reports what the agent really did: one event stream, one outcome, one exit code.
The dialect is detected from the first lines. Data goes to stdout, messages for people to stderr.
.SH COMMANDS
${sections.join('')}.SH EXIT STATUS
Of a run, and of
.B runwire outcome \\-\\-exit\\-code
${codes.join('')}.PP
Other commands exit with 0, with 1 for a bad ledger and where their own help says so, or with 2 for bad flags, unreadable input, or, with \\-\\-strict, any loss or note.
.SH ENVIRONMENT
${variables.map(([name, meaning]) => `.TP\n.B ${name}\n${roff(meaning)}\n`).join('')}.SH FILES
${files.map(([path, meaning]) => `.TP\n.I ${roff(path)}\n${roff(meaning)}\n`).join('')}.SH SEE ALSO
The guide pages in the docs folder of the package.
`;
}
