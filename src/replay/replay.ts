import { present } from '../json/present.ts';
import { learnRules } from '../wire/replay/learn.ts';
import { Matcher } from '../wire/replay/matcher.ts';
import { type ReplayRules, rulesFor } from '../wire/replay/rules.ts';
import { departureReport, differencesFrom, resultOf, verdictOf } from './compare.ts';
import { playAgain, type Played, type PlayOptions } from './play.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { ReplayReport } from './report.ts';

/** Runs a recorded run again, answered from its recording, and compares. `twin`: the same task, recorded once more. */
export async function replay(
  recorded: RecordedRun,
  twin: RecordedRun | undefined,
  options: PlayOptions,
): Promise<{ report: ReplayReport; played: Played }> {
  const rules = rulesOf(recorded, twin);
  const { exchanges, files } = recorded.recording;
  let size = 0;
  const played = await playAgain(recorded, options, (folders, clean) => {
    const matcher = new Matcher(exchanges, { rules, clean, recordedIn: recorded.folders, folders });
    size = matcher.size;
    return matcher;
  });
  const { outcome, answered, loose, departure, isCutShort } = played;
  const differences = departure === undefined ? differencesFrom(recorded, played) : [];
  const report: ReplayReport = {
    run: recorded.run.id,
    agent: recorded.run.agent ?? recorded.spec.agent,
    ...present({ recorded_version: recorded.run.agent_version, version: outcome.provenance.version }),
    result: resultOf(played, differences),
    ...(isCutShort ? { is_cut_short: true as const } : {}),
    requests: { recorded: size, answered, ...(loose.length === 0 ? {} : { reordered: loose }) },
    ...present({ departure: departureReport(departure) }),
    verdict: { recorded: verdictOf(recorded.run.outcome ?? outcome), now: verdictOf(outcome) },
    differences,
    ...present({ files: files?.length }),
    network: { mode: options.network, ...present({ stopped: outcome.network?.stopped }) },
    duration_ms: outcome.metrics.duration_ms ?? 0,
  };
  return { report, played };
}

export function rulesOf({ recording, folders, spec }: RecordedRun, twin?: RecordedRun): ReplayRules {
  const known = rulesFor(spec.command === undefined ? spec.agent : undefined);
  if (twin === undefined) return known;
  return learnRules(
    { exchanges: recording.exchanges, folders },
    { exchanges: twin.recording.exchanges, folders: twin.folders },
    known,
  );
}
