import { exitCodes, interruptCodes } from '../../failure.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { namedRun } from '../../ledger/find.ts';
import { recordedRun } from '../../replay/recorded-run.ts';
import { replay } from '../../replay/replay.ts';
import type { ReplayReport } from '../../replay/report.ts';
import { plural } from '../../terminal/figures.ts';
import { paint } from '../../terminal/paint.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Screen } from '../../terminal/table.ts';
import type { Context } from '../context.ts';
import { noSuchLedger, runWords, useLedger } from '../runs/ledger.ts';
import { screenOf } from '../screen.ts';
import { hideKeys, isText, playOptions, type ReplayValues } from './prepare.ts';

/** From the flags to the exit code. */
export async function replayRun(
  values: ReplayValues & { 'learn-from'?: string },
  operands: readonly string[],
  context: Context,
): Promise<number> {
  const [word = ''] = runWords(operands, 1, 'one run: an id, or last');
  const options = playOptions(values, context);
  const trust = { env: context.env, isTrusted: values.trust === true };
  const { recorded, twin } = await useLedger(
    values,
    context,
    async (ledger) => {
      const read = async (name: string) => recordedRun(ledger, await namedRun(ledger.store, name), trust);
      const other = values['learn-from'];
      return { recorded: await read(word), twin: other === undefined ? undefined : await read(other) };
    },
    noSuchLedger,
  );
  hideKeys(context);
  try {
    const { report, played } = await replay(recorded, twin, options);
    if (isText(values, context)) await context.show(replayText(report, screenOf(context)));
    else await context.print(`${JSON.stringify(report, null, context.stdoutIsTerminal ? 2 : 0)}\n`);
    if (report.result === 'interrupted')
      return played.signal === 'SIGTERM' ? interruptCodes.SIGTERM : interruptCodes.SIGINT;
    return report.result === 'same' ? exitCodes.success : exitCodes.expectation;
  } finally {
    context.leaveSoon();
  }
}

const results: Readonly<Record<ReplayReport['result'], string>> = {
  same: 'the same to the end',
  departed: 'departed',
  different: 'every request the same, but not what it came to',
  interrupted: 'interrupted',
};

const mostShown = 300;

function replayText(report: ReplayReport, screen: Screen): string {
  const { result, requests, departure, verdict, differences, files, network } = report;
  const version =
    report.version === report.recorded_version || report.recorded_version === undefined
      ? (report.version ?? '')
      : `${report.version ?? '?'} (recorded with ${report.recorded_version})`;
  const colour = result === 'same' ? 'green' : 'red';
  const end = report.is_cut_short === true ? 'the same, to where the recorded run was stopped' : results[result];
  const is = (what: string): boolean => differences.some((each) => each.what === what);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['requests', `${requests.answered} of ${requests.recorded} answered from the recording`],
    [
      'order',
      requests.reordered === undefined
        ? undefined
        : `in ${plural(requests.reordered.length, 'request')}, tools printed the same lines in another order`,
    ],
    ['network', network.mode === 'open' ? 'open' : `closed; ${plural(network.stopped ?? 0, 'attempt')} to reach it`],
    ['verdict', result === 'same' ? `${verdict.now.class} (exit ${verdict.now.exit_code})` : undefined],
    ['answer', result === 'departed' || is('answer') ? undefined : 'the same'],
    [
      'files',
      files === undefined
        ? 'not known of the recorded run'
        : result === 'departed' || is('file')
          ? undefined
          : `${plural(files, 'file')}, the same`,
    ],
  ];
  return [
    `${paint(`replay of ${shortRunId(report.run)}`, 'bold', screen)}  ${oneLine(`${report.agent} ${version}`.trim())}  ${paint(end, colour, screen)}\n`,
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(9)} ${oneLine(value, 400)}\n`])),
    ...(departure === undefined ? [] : [departureLines(departure, requests.recorded)]),
    ...differences.map(
      ({ what, path, recorded, now }) =>
        `\n${path === undefined ? what : `${what} ${oneLine(path, 200)}`} differs\n  recorded  ${shown(recorded)}\n  now       ${shown(now)}\n`,
    ),
  ].join('');
}

export function departureLines(departure: NonNullable<ReplayReport['departure']>, of: number): string {
  const { request, target, path, call, recorded, now, others = 0 } = departure;
  if (departure.recorded_request === undefined)
    return `\ndeparted at request ${request}: the recording has no further answer to ${oneLine(target, 200)}\n`;
  const what = call === undefined ? (path ?? 'the body') : `the result of \`${oneLine(call, 200)}\` (${path})`;
  const more = others === 0 ? '' : `, and ${others} more`;
  return `\ndeparted at request ${request} of ${of}: ${oneLine(what, 400)} differs${more}\n  recorded  ${shown(recorded)}\n  now       ${shown(now)}\nA field that changes each time is learnt from a second recording of the same task: --learn-from RUN.\n`;
}

function shown(text: string | undefined): string {
  return text === undefined ? '(nothing)' : oneLine(text.replaceAll(/\r?\n/g, '⏎'), mostShown);
}
