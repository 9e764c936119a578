import { z } from 'zod';
import { Rule } from '../expect/rule.ts';
import { checkGiven } from '../ledger/check-given.ts';
import { failOnWords } from '../outcome/verdict.ts';
import { labelsSchema } from '../stores/labels-schema.ts';
import { permissionModes } from '../vocabulary.ts';
import type { RunOptions } from './library.ts';

const text = z.string().optional();
const texts = z.array(z.string()).optional();
const count = z.int().positive().optional();
const amount = z.number().positive().optional();
const anObject = z.custom<object>((value) => typeof value === 'object' && value !== null, 'expected an object').optional();

const Options = z.strictObject({
  agent: z.string().min(1).optional(),
  command: z.array(z.string()).min(1).optional(),
  from: text,
  prompt: text,
  model: text,
  baseUrl: text,
  price: z
    .strictObject({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number().optional(),
      cacheWrite: z.number().optional(),
      cacheWriteHour: z.number().optional(),
    })
    .optional(),
  permissionMode: z.enum(permissionModes).optional(),
  allow: texts,
  deny: texts,
  directories: texts,
  resume: text,
  system: text,
  appendSystem: text,
  outputSchema: anObject,
  recordModel: text,
  agentArgs: texts,
  limits: z
    .strictObject({
      maxTurns: count,
      maxCostUsd: amount,
      maxTokens: count,
      timeoutMs: amount,
      idleTimeoutMs: amount,
      firstEventTimeoutMs: amount,
      permissionTimeoutMs: amount,
    })
    .optional(),
  retries: z.int().nonnegative().optional(),
  retryDelayMs: z.number().nonnegative().optional(),
  failOn: z.array(z.enum(failOnWords)).optional(),
  expect: z.array(z.union([z.string(), Rule])).optional(),
  labels: labelsSchema().optional(),
  budget: z.string().min(1).optional(),
  redact: z.boolean().optional(),
  projectName: text,
  parentBranchId: text,
  cwd: z.string().min(1).optional(),
  env: anObject,
  passEnv: texts,
  ledger: text,
  otel: text,
  tapes: text,
  parent: anObject,
  signal: z.instanceof(AbortSignal).optional(),
}) satisfies z.ZodType<{ [Name in keyof RunOptions]: unknown }>;

/** Throws `Failure` for invalid options from a caller without types: a limit that cannot be read would be no limit. */
export function checkOptions(options: unknown): void {
  checkGiven('run()', Options, options);
}
