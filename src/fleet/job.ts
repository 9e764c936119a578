import { z } from 'zod';
import { requestFields } from '../contract/request.ts';
import { looseShapeOf } from '../contract/shape.ts';
import { kit, type RunSpec } from '../contract/spec.ts';

/** `repo=x`: what a limit can be set for. */
const Key = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._/-]{0,99}=[^\p{Cc}]{1,200}$/u, 'expected a key such as repo=web');
/** `gpu`: a label of a worker. */
const Need = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._/-]{0,99}$/u, 'expected a word such as gpu');

const notAName = 'expected a name such as issue-7, and not "last"';
/** Anything that people type, except words with another meaning. */
const Name = z
  .string()
  .max(200)
  .regex(/^\S(?:[^\p{Cc}\p{Cs}]*\S)?$/u, notAName)
  .refine((name) => name !== 'last', notAName);

const mostKeys = 20;

/** Where and when a job is to run, besides what it is to do. */
export const Order = z.strictObject({
  /** A name that the caller chooses: the same name is queued only once. */
  id: Name.optional(),
  keys: z.array(Key).max(mostKeys).default([]),
  /** Labels that the worker must have. */
  needs: z.array(Need).max(mostKeys).default([]),
  /** Higher goes first. */
  priority: z.int().min(-1_000_000).max(1_000_000).default(0),
  budget: Name.optional(),
  /** Do not start before this time. */
  at: z.iso.datetime({ offset: true }).optional(),
  /** Queued runs that must have succeeded first. */
  after: z.array(z.string().min(1)).max(100).default([]),
  /** `branch`: what the run changed is pushed to the remote that its repository came from. */
  publish: z.enum(['none', 'branch']).default('none'),
});
export type Order = z.infer<typeof Order>;

/** The repository that a worker fetches before the run. */
export const Origin = z.strictObject({
  /** An address without a password; unset: the files come with the job. */
  remote: z.string().min(1).optional(),
  commit: z.string().regex(/^[\da-f]{40}(?:[\da-f]{24})?$/),
  branch: z.string().optional(),
  /** The folder to work in, relative to the top of the repository. */
  below: z.string(),
  /** `owner/name`, or the folder's name. */
  name: z.string(),
});
export type Origin = z.infer<typeof Origin>;

/** One line of input to the queue: a RunSpec, whose default values may be left out, and its order. */
export const QueuedSpec = z.strictObject({ ...looseShapeOf(kit, requestFields), ...Order.shape });

/** A run to be queued, as plain data. */
export interface NewJob {
  run: string;
  spec: RunSpec;
  order: Order;
  origin: Origin | undefined;
  /** A git bundle with the commit. */
  bundle: Uint8Array | undefined;
  /** The user who queued it. */
  by: string;
}

export const jobStates = ['waiting', 'queued', 'running', 'ended'] as const;
export type JobState = (typeof jobStates)[number];

/** A queued run as users see it. */
export interface Job {
  run: string;
  id?: string;
  state: JobState;
  title: string;
  agent: string;
  priority: number;
  keys: string[];
  needs: string[];
  after: string[];
  budget?: string;
  at?: string;
  enqueued_at: string;
  enqueued_by: string;
  /** Which attempt, from 1; 0: none yet. */
  attempt: number;
  worker?: string;
  started_at?: string;
  ended_at?: string;
  status?: string;
  class?: string;
  exit_code?: number;
  /** A sentence, if there is more to say than the class. */
  message?: string;
  cancel_by?: string;
  cancel_reason?: string;
  /** The branch with the run's changes; `runs fetch` gets it. */
  branch?: string;
  /** For a run that has ended: the ledger has its end, or should have it by now. */
  is_recorded?: boolean;
}
