import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { relative } from 'node:path';
import { RunSpec } from '../contract/spec.ts';
import { Failure } from '../failure.ts';
import { shortRunId } from '../ids/run-id.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Recording, recordingOf } from '../ledger/recording.ts';
import { tapeOf } from '../ledger/run-tape.ts';
import type { RunRecord } from '../stores/run-store.ts';
import type { Folders } from '../wire/replay/normalise.ts';
import type { Environment } from '../words/vocabulary.ts';
import { openRepository, type Repository } from '../workspace/repository.ts';
import { EventCounter } from './event-counts.ts';

/** A run whose requests were recorded, and all that is needed to run it again. */
export interface RecordedRun {
  run: RunRecord;
  recording: Recording;
  spec: RunSpec;
  repository: Repository;
  /** What was checked out when it began. */
  commit: string;
  /** Where it worked. */
  folders: Folders;
  events: EventCounter;
}

export interface Trust {
  env: Environment;
  /** What the tape says is started, whoever wrote it. */
  isTrusted: boolean;
}

/** Reads what a replay needs. Throws `Failure` where a run cannot be replayed, with what to try. */
export async function recordedRun(
  ledger: Pick<Ledger, 'tapes'>,
  run: RunRecord,
  { env, isTrusted }: Trust,
): Promise<RecordedRun> {
  const cannot = (why: string): Failure => new Failure('input', `${shortRunId(run.id)} cannot be replayed: ${why}`);
  if (!isTrusted) await distrust(ledger, run, cannot);
  const events = new EventCounter();
  const recording = await recordingOf(ledger.tapes, run, (record) => events.see(record));
  const { head, exchanges, startedAt } = recording;
  if (run.outcome === undefined) throw cannot('it has not ended');
  if (!exchanges.some(({ answer }) => answer !== undefined))
    throw cannot('no answer of a model was recorded, so there is nothing to answer from');
  const parsed = RunSpec.safeParse(head.spec);
  if (!parsed.success)
    throw cannot(
      'its recording does not say what was asked of it, or another version of Runwire wrote it; record it again',
    );
  const spec = parsed.data;
  if (spec.resume !== undefined)
    throw cannot(`it resumed the session ${spec.resume}, which has gone on since; record a run that begins a session`);
  if (head.commit === undefined)
    throw cannot(
      `it did not run in a git repository, so its files are not known; run "git init" in ${spec.cwd}, commit, and record it again`,
    );
  if ((head.dirty ?? 0) > 0)
    throw cannot(
      `${head.dirty} of its files were not committed when it was recorded, so they are not known; commit them, or use --isolate auto --dirty include, and record it again`,
    );
  if (!existsSync(spec.cwd)) throw cannot(`its folder ${spec.cwd} does not exist here; check the repository out there`);
  const repository = await openRepository(spec.cwd, env);
  const found = await repository.git.try(['cat-file', '-t', head.commit]);
  if (found !== 'commit')
    throw cannot(
      `its commit ${head.commit.slice(0, 12)} is not in ${repository.root}; fetch it, or record the run again`,
    );
  const below = relative(repository.root, spec.cwd);
  const cwd = head.cwd ?? spec.cwd;
  const top = below !== '' && cwd.endsWith(`/${below}`) ? cwd.slice(0, -below.length - 1) : cwd;
  return {
    run,
    recording,
    spec,
    repository,
    commit: head.commit,
    folders: { cwd: top, home: head.home, at: startedAt },
    events,
  };
}

/** A tape says which commands are started. */
async function distrust(
  { tapes }: Pick<Ledger, 'tapes'>,
  run: RunRecord,
  cannot: (why: string) => Failure,
): Promise<void> {
  const hint = 'what its tape says would be started here; if you know who wrote it, add --trust';
  if (run.key !== undefined) throw cannot(`it was imported, and ${hint}`);
  if (run.host !== undefined && run.host !== hostname()) throw cannot(`it ran on ${run.host}, and ${hint}`);
  const found = await tapeOf(tapes, run);
  if ('missing' in found) return;
  const digest = run.tape_sha256 === undefined ? undefined : await found.tape.digest?.();
  if (digest !== undefined && digest !== run.tape_sha256) throw cannot(`its tape is not what was written, and ${hint}`);
}
