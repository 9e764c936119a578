import { Failure } from '../../failure.ts';
import { type Branch, Crew } from '../../orchestrate/crew.ts';
import { type Entry, raceOf, type Winner } from '../../orchestrate/race.ts';
import { remarksOf } from '../../orchestrate/words.ts';
import { compactDuration, dollars } from '../../terminal/figures.ts';
import { wantsColours } from '../../terminal/line.ts';
import { oneLine } from '../../terminal/plain.ts';
import { type Column, table } from '../../terminal/table.ts';
import { present } from '../../json/present.ts';
import type { Best } from '../../words/vocabulary.ts';
import type { Context } from '../context.ts';
import { ciOf } from '../run/document-flags.ts';
import type { RunValues } from '../run/options.ts';
import { promptOrStdin } from '../run/prompt.ts';
import type { CrewFlags } from './flags.ts';
import { checkAgents, conduct } from './start.ts';

interface RaceRequest {
  prompt: string | undefined;
  values: RunValues;
  crewFlags: CrewFlags;
  attempts: number;
  best: Best;
}

/** How long the race may still take to report after the time limit of its agents. */
const closingMs = 30_000;

export async function conductRace(
  { prompt: words, values, crewFlags, attempts, best }: RaceRequest,
  context: Context,
): Promise<number> {
  await checkAgents(crewFlags.agents, context.env);
  const prompt = await promptOrStdin(words, context);
  if (prompt.trim() === '')
    throw new Failure('input', 'no prompt: give one as an argument, with -p, or on stdin; see "runwire race --help"');
  let shown = '';
  const { flags, code } = await conduct(
    {
      values,
      crewFlags,
      prompt,
      hasBrain: false,
      // Each agent keeps the time limit itself, so that one that has ended by then can still win.
      limitsOf: ({ timeout_ms, ...limits }) => ({
        ...limits,
        ...present({ timeout_ms: timeout_ms && timeout_ms + closingMs }),
      }),
      directorOf: (settings, { timeout_ms: timeoutMs }) => ({
        script: (run) =>
          raceOf(new Crew(settings, run), {
            contestants: Array.from({ length: attempts }, () => settings.agents).flat(),
            best,
            timeoutMs,
            onEnd: (entries, winner) => void (shown = draw(entries, winner, context)),
          }),
      }),
    },
    context,
  );
  // By now the GitHub runner obeys commands again, and the table contains names of files.
  const isLog = ciOf(flags.github, context.env) === 'github';
  if (!flags.quiet && shown !== '')
    context.draw(isLog ? (await import('../../reports/github.ts')).harmlessInLog(shown) : shown);
  return code;
}

function draw(
  entries: readonly Entry[],
  winner: Winner | undefined,
  { stderrSize, stderrIsTerminal, env }: Context,
): string {
  const columns: readonly Column<Entry>[] = [
    { title: '', cell: (entry) => (entry === winner?.entry ? '→' : ''), colour: () => 'green' },
    { title: '#', align: 'right', cell: ({ place }) => String(place + 1) },
    { title: 'AGENT', cell: ({ branch }) => branch.agent ?? '' },
    { title: 'MODEL', cell: ({ branch }) => modelOf(branch), leaves: 1 },
    { title: 'RUN', cell: ({ branch }) => branch.outcome?.verdict.class ?? 'not run' },
    { title: 'VERIFY', cell: ({ branch }) => branch.verification?.result ?? '-' },
    { title: 'FILES', align: 'right', cell: ({ branch }) => String(branch.changes?.changes.length ?? '-') },
    {
      title: 'LINES',
      align: 'right',
      cell: ({ branch: { changes } }) => (changes === undefined ? '-' : `+${changes.additions} -${changes.deletions}`),
    },
    {
      title: 'COST',
      align: 'right',
      cell: ({ branch }) => (branch.outcome?.metrics.cost === undefined ? '-' : dollars(branch.outcome.metrics.cost)),
    },
    { title: 'TIME', align: 'right', cell: ({ durationMs }) => compactDuration(durationMs) },
  ];
  const width = stderrIsTerminal ? stderrSize().columns : 120;
  const shape = { width, colours: wantsColours(env, stderrIsTerminal) };
  return [table(columns, entries, shape), ...entries.map(beside), next(winner)].join('');
}

const longest = 1000;

/** Whole, whatever the width: a branch is copied, and a remark is what decides. */
function beside({ branch, place }: Entry): string {
  const words = [...(branch.commit === branch.base ? [] : [branch.id]), ...remarksOf(branch)];
  return words.length === 0 ? '' : `${place + 1}  ${words.map((each) => oneLine(each, longest)).join('  ')}\n`;
}

/** The model that answered, else the one that was asked for; its name alone, without the folder of a recording. */
function modelOf({ outcome, model = '' }: Branch): string {
  const name = outcome?.metrics.model_name || model;
  return name.slice(name.lastIndexOf('/') + 1);
}

function next(winner: Winner | undefined): string {
  const { run, commit, base } = winner?.entry.branch ?? {};
  if (run === undefined || commit === base) return '';
  return 'next: "runwire apply last" takes the work of the winner, "runwire drop last" discards that of the others\n';
}
