import { resolve } from 'node:path';
import type { z } from 'zod';
import { acpCommand } from '../../agents/acp-command.ts';
import { Failure } from '../../failure.ts';
import { addJobs } from '../../fleet/add-jobs.ts';
import type { NewJob, Order } from '../../fleet/job.ts';
import type { Queue } from '../../fleet/queue.ts';
import { requestOptionsFor } from '../../contract/flags.ts';
import { whyNotQueued } from '../../contract/requested.ts';
import { present } from '../../json/present.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { oneLine } from '../../terminal/plain.ts';
import { isWholeId, newRunId } from '../../ids/run-id.ts';
import { builtIn, type Dirty } from '../../words/vocabulary.ts';
import type { Values } from '../command.ts';
import type { Context } from '../context.ts';
import { readFlags } from '../run/flags.ts';
import { readInputs, specOfFlags } from '../run/settings.ts';
import { who } from '../who.ts';
import { type enqueueOptions, readOrder } from './flags.ts';
import { queuedRun, type queueOption, queuePlace, useQueue } from './queue.ts';
import { parseInput, parseJson } from '../../json/parse.ts';
import { isObject } from '../../json/read.ts';

export type EnqueueValues = Values<typeof enqueueOptions & typeof queueOption>;

interface QueuedRequest {
  spec: RunSpec;
  order: Order;
  /** How to name it in a message. */
  where: string;
}

const mostBytes = 64 * 1024 * 1024;

/** Queues what the flags, files or lines describe: all of it or nothing. Prints a line of JSON for each. */
export async function enqueue(
  values: EnqueueValues,
  operands: readonly string[],
  context: Context,
  command: readonly string[] | undefined,
): Promise<number> {
  const place = queuePlace(values.ledger, context);
  const requests = await readRequests(values, operands, context, command);
  const by = who();
  return useQueue(place.url, context, async (queue) => {
    const origins = new Origins(values, context);
    const jobs: NewJob[] = [];
    const named = new Map<string, string>();
    for (const { spec, order, where } of requests) {
      const why = whyNotQueued(spec);
      if (why !== undefined) throw new Failure('input', `${where}: ${why}`);
      const run = order.id !== undefined && isWholeId(order.id) ? order.id : newRunId(context.now());
      const after = await Promise.all(order.after.map((word) => forerunner(queue, named, word, where)));
      if (order.id !== undefined) named.set(order.id, run);
      jobs.push({ run, by, spec: withoutPlace(spec), order: { ...order, after }, ...(await origins.of(spec)) });
    }
    // What is queued is asked for in the ledger, which only a writer creates.
    const { openStore } = await import('../../stores/open-store.ts');
    await (await openStore(place)).close();
    for (const { run, state, isNew } of await addJobs(queue, jobs))
      await context.print(`${JSON.stringify({ id: run, state, ...(isNew ? {} : { known: true }) })}\n`);
    return 0;
  });
}

async function readRequests(
  values: EnqueueValues,
  operands: readonly string[],
  context: Context,
  command: readonly string[] | undefined,
): Promise<QueuedRequest[]> {
  const order = readOrder(values, context.now());
  const labels = (values.label ?? []).filter((word) => word.includes('='));
  const files = operands.filter((word) => word === '-' || /\.jsonl?$/.test(word));
  const isPrompt = values.prompt !== undefined || command !== undefined || operands.length > files.length;
  if (!isPrompt) return readSpecs(files.length === 0 ? ['-'] : files, { order, labels, values }, context);
  if (files.length > 0) throw new Failure('input', `a prompt or files of specs, not both: ${files.join(', ')}`);
  const flags = readFlags({ ...values, label: labels, isolate: values.isolate ?? 'auto' }, operands);
  if (Object.keys(flags.extraEnv.set).length > 0)
    throw new Failure(
      'input',
      '--env NAME=VALUE: a job names variables and never holds their values; set it on the worker, and give --env NAME',
    );
  const { Order: schema } = await import('../../fleet/job.ts');
  const inputs = await readInputs(flags, context);
  const spec = { ...specOfFlags(flags, { ...inputs, prompt: flags.prompt ?? '', command }, context) };
  // The path of a program in the repository stays relative: the repository lies elsewhere on the worker.
  const own = acpCommand(flags.request.agent ?? builtIn) ?? command;
  if (own !== undefined) spec.command = [...own];
  return [{ spec, order: checked(schema, order, 'the command line'), where: 'the command line' }];
}

/** Files with one spec, or with one per line. */
async function readSpecs(
  files: readonly string[],
  { order, labels, values }: { order: Partial<Order>; labels: readonly string[]; values: EnqueueValues },
  context: Context,
): Promise<QueuedRequest[]> {
  const given = ['id', ...Object.keys(requestOptionsFor('enqueue'))].filter(
    (name) => name !== 'cwd' && name !== 'dirty' && values[name as keyof EnqueueValues] !== undefined,
  );
  if (given.length > 0)
    throw new Failure(
      'input',
      `${given.map((name) => `--${name}`).join(', ')}: only for a prompt; in a file, set it in the spec`,
    );
  if (files.includes('-') && context.stdinIsTerminal)
    throw new Failure('input', 'nothing to queue: give a prompt, files of RunSpecs, or JSON lines on stdin');
  const [{ QueuedSpec, Order: OrderSchema }, { parseLabels }, { checkLabels }] = await Promise.all([
    import('../../fleet/job.ts'),
    import('../../contract/labels.ts'),
    import('../../contract/label-limits.ts'),
  ]);
  const requests: QueuedRequest[] = [];
  for (const file of files) {
    const name = file === '-' ? 'stdin' : file;
    for (const { text, where } of documentsIn(
      await readText(file === '-' ? context.stdin : context.readFile(file), name),
      name,
    )) {
      const line = specIn(text, where);
      const whole = checked(QueuedSpec, { ...order, ...line }, where);
      const { id, keys, needs, priority, budget, at, after, publish, ...spec } = whole;
      const merged = {
        keys: [...new Set([...(order.keys ?? []), ...keys])],
        needs: [...new Set([...(order.needs ?? []), ...needs])],
      };
      requests.push({
        spec: {
          ...spec,
          cwd: resolve(context.cwd, values.cwd ?? '.', spec.cwd),
          labels: checkLabels(where, { ...parseLabels(labels), ...spec.labels }),
        },
        order: checked(OrderSchema, { ...present({ id, priority, budget, at, after, publish }), ...merged }, where),
        where,
      });
    }
  }
  if (requests.length === 0)
    throw new Failure(
      'input',
      `nothing to queue: ${files.map((file) => (file === '-' ? 'stdin' : file)).join(', ')} is empty`,
    );
  return requests;
}

async function readText(chunks: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > mostBytes)
      throw new Failure('input', `${name}: more than ${mostBytes / 1024 / 1024} MB; queue it in parts`);
  }
  return text + decoder.decode();
}

/** One document that spans many lines, or one per line. */
function documentsIn(text: string, name: string): { text: string; where: string }[] {
  const lines = text.split('\n').map((line, index) => ({ text: line, where: `${name}, line ${index + 1}` }));
  const filled = lines.filter((line) => line.text.trim() !== '');
  const isOne = filled.length > 1 && parseJson(filled[0]?.text ?? '') === undefined && parseJson(text) !== undefined;
  return isOne ? [{ text, where: name }] : filled;
}

function specIn(text: string, where: string): object {
  const value = parseInput(text, `${where}: `);
  if (!isObject(value))
    throw new Failure(
      'input',
      `${where}: expected a RunSpec such as {"prompt":"fix the tests","agent":"codex"}; see "runwire schema queued-spec"`,
    );
  return value;
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`);
  throw new Failure('input', `${where}: ${problems.join('; ')}; see "runwire schema queued-spec"`);
}

/** Without what names a place on this machine: the worker has its own folder. */
function withoutPlace({ workspace, ...spec }: RunSpec): RunSpec {
  const { isolate, setup, branch } = workspace ?? {};
  return {
    ...spec,
    cwd: '.',
    ...(isolate === undefined
      ? {}
      : { workspace: { isolate, dirty: 'refuse', copy: [], ...present({ setup, branch }) } }),
  };
}

/** A run in the queue, or one from an earlier line. */
async function forerunner(
  queue: Queue,
  named: ReadonlyMap<string, string>,
  word: string,
  where: string,
): Promise<string> {
  const run = (await queuedRun(queue, word)) ?? named.get(word);
  if (run === undefined)
    throw new Failure(
      'input',
      `${where}: after "${oneLine(word, 60)}": no such run in the queue; "runwire queue list --all" shows them`,
    );
  return run;
}

/** Looks up each folder only once: many specs share a few folders. */
class Origins {
  readonly #values: EnqueueValues;
  readonly #context: Context;
  readonly #found = new Map<string, Promise<Pick<NewJob, 'origin' | 'bundle'>>>();

  constructor(values: EnqueueValues, context: Context) {
    this.#values = values;
    this.#context = context;
  }

  of({ cwd, workspace }: RunSpec): Promise<Pick<NewJob, 'origin' | 'bundle'>> {
    const dirty: Dirty =
      this.#values.dirty === 'include' || this.#values.dirty === 'ignore'
        ? this.#values.dirty
        : (workspace?.dirty ?? 'refuse');
    const key = JSON.stringify([cwd, workspace?.from, dirty]);
    const found = this.#found.get(key) ?? this.#find(cwd, workspace?.from, dirty);
    this.#found.set(key, found);
    return found;
  }

  async #find(cwd: string, from: string | undefined, dirty: Dirty): Promise<Pick<NewJob, 'origin' | 'bundle'>> {
    const { findOrigin } = await import('../../fleet/origin.ts');
    const found = await findOrigin(cwd, { from, dirty, bundle: this.#values.bundle === true }, this.#context.env);
    return found ?? { origin: undefined, bundle: undefined };
  }
}
