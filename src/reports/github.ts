import { claimInWords, contradictedOf } from '../claims/in-words.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { oneLine, plain } from '../terminal/plain.ts';

// Workflow commands, as the runner reads them from the log: `::name key=value::data`.

/** The data of a command. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** A property value of a command. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

export function workflowCommand(
  name: string,
  data: string,
  properties: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(properties).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [`${key}=${escapeProperty(value)}`],
  );
  return `::${name}${given.length === 0 ? '' : ` ${given.join(',')}`}::${escapeData(data)}\n`;
}

/** GitHub shows no more than this of each kind. */
const annotationsShown = 10;

/** What a person should see at the top of the page, attached to a file where one is known. */
export function annotations(outcome: RunOutcome, workspace: string): string {
  const { status, verdict, error_details: error, expectations = [], warnings } = outcome;
  const why = verdict.evidence[0]?.detail ?? verdict.class;
  const file = error?.file_path === undefined ? undefined : oneLine(seenFrom(workspace, error.file_path), 1000);
  const line = file === undefined || error?.line_number === undefined ? undefined : String(error.line_number);
  const title = `runwire: ${verdict.class}`;
  const errors = [
    ...(status === 'success'
      ? []
      : [workflowCommand('error', plain([why, error?.message].filter(Boolean).join('\n')), { title, file, line })]),
    ...expectations
      .filter(({ passed }) => !passed)
      .map(({ rule, detail }) =>
        workflowCommand('error', oneLine(`${rule}: ${detail}`, 1000), { title: 'runwire: expectation' }),
      ),
  ];
  const contradicted = contradictedOf(outcome.claims).map((claim) =>
    workflowCommand('error', oneLine(claimInWords(claim), 1000), { title: 'runwire: contradicted' }),
  );
  const cautions = warnings.map((text) => workflowCommand('warning', plain(text), { title: 'runwire' }));
  return [...[...errors, ...contradicted].slice(0, annotationsShown), ...cautions.slice(0, annotationsShown)].join('');
}

function seenFrom(folder: string, path: string): string {
  return folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

/** An answer made safe for a GitHub log: no line of it is a command to the runner, which treats NEL as white space. */
export function harmlessInLog(text: string): string {
  const harmless = (line: string): string => {
    const words = line.replace(/^[\s\u0085]+/, '');
    return words.startsWith('::') ? `${line.slice(0, line.length - words.length)}\\${words}` : line;
  };
  return text
    .split(/([\r\n])/)
    .map(harmless)
    .join('')
    .replaceAll('##[', '#\\#[');
}
