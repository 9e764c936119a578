import { loadCommands } from '../src/cli/commands.ts';
import { exitCodeTable, flagOf } from '../src/cli/help.ts';
import { version } from '../src/version.ts';

const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

/** What is not one agent's own; flags come before them. */
const variables: readonly (readonly [name: string, meaning: string])[] = [
  ['RUNWIRE_LEDGER', 'Where runs are remembered: a file, postgres://…, none.'],
  ['RUNWIRE_TAPES', 'Where their events are kept: s3://bucket/prefix, postgres, files.'],
  ['AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN', 'The key of that bucket, and the token of a key that was lent.'],
  ['AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL', 'Where that bucket is.'],
  ['RUNWIRE_REPORT, RUNWIRE_REPORT_TOKEN', 'A "runwire serve" elsewhere that is told of every run, and the token for it.'],
  ['XDG_STATE_HOME, XDG_CONFIG_HOME', 'Where the ledger, tapes and sessions are by default, and the config file.'],
];

/** Where each is, is said by the variables above. */
const files: readonly (readonly [path: string, meaning: string])[] = [
  ['~/.config/runwire/config.json', 'Your own settings: keys, models, prices, permissions, tapes.'],
  ['runwire.json', 'Settings of a repository; one that is not trusted may only narrow permissions.'],
  ['~/.local/state/runwire/', 'The ledger, the tapes, the sessions of the built-in agent, and what waits for a server that is away.'],
];

/** docs/man/runwire.1, from the same tables as --help. */
export async function manPage(): Promise<string> {
  const all = await loadCommands();
  const sections = all.map((command) => {
    const flags = Object.entries(command.options).map(
      ([name, option]) => `.TP\n.B ${roff(flagOf(name, option).trim())}\n${roff(option.help)}\n`,
    );
    const examples = command.examples.map(([line, what]) => `.PP\n${roff(what)}:\n.PP\n.nf\n.RS\n${roff(line)}\n.RE\n.fi\n`);
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
Runs an agent of its own on a prompt, or reads the output of any AI agent's command line, and tells what it really did: one event stream, one outcome, one exit code.
The dialect is detected from the first lines. Data goes to stdout, words for people to stderr.
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
