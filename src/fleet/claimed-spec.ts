import { whyNotQueued } from '../contract/requested.ts';
import { RunSpec } from '../contract/spec.ts';
import { Failure } from '../failure.ts';
import { specOf } from '../run/ask.ts';
import type { Claimed } from './claim-jobs.ts';
import { Origin } from './job.ts';

const nothing = specOf({ redact: true }, { cwd: '.', passEnv: [] });

/** A database row may have been written by anyone, or by another version of Runwire. */
export function readClaimed({ spec, origin }: Claimed): {
  spec: RunSpec;
  origin: Origin | undefined;
  refusal: Failure | undefined;
} {
  const read = RunSpec.safeParse(spec);
  const from = Origin.nullable().safeParse(origin);
  const [issue] = [...(read.error?.issues ?? []), ...(from.error?.issues ?? [])];
  const unreadable =
    issue === undefined
      ? undefined
      : `the job cannot be read, perhaps another version queued it: ${issue.path.join('.')}: ${issue.message}`;
  const why = unreadable ?? whyNotQueued(read.data ?? nothing);
  return {
    // Of a spec that is refused, nothing is followed.
    spec: why === undefined && read.data !== undefined ? read.data : nothing,
    origin: from.data ?? undefined,
    refusal:
      why === undefined
        ? undefined
        : new Failure('config', unreadable ?? `the job is refused, "enqueue" would not have queued it: ${why}`),
  };
}
