import type { ToolResultPart, ToolSet } from 'ai';
import { z } from 'zod';
import type { Draft, ItemStatus } from '../../events/event.ts';
import { messageOf } from '../../failure.ts';
import { present } from '../../json/present.ts';
import type { AgentOptions } from '../agent.ts';
import type { ModelCall } from '../models/call.ts';
import type { Decide, Decision } from '../permissions/rules.ts';
import type { Need, Tool, ToolResult } from './tool.ts';
import { type Toolbox, toolSetOf } from './toolbox.ts';

interface CallOptions {
  options: Pick<AgentOptions, 'permissions' | 'cwd' | 'env' | 'signal' | 'hide' | 'ask'>;
  emit(draft: Draft): void;
}

interface CallContext extends CallOptions {
  tools: ReadonlyMap<string, Tool>;
  decide: Decide;
}

/** An answer may hold hundreds of calls, more than a machine can run at once. */
const mostAtOnce = 8;
/** A tool that does not stop when asked to is abandoned after this long. */
const patienceMs = 5000;

type Plan =
  | { kind: 'run'; tool: Tool; input: never; need: Need }
  | { kind: 'denied'; tool: Tool; input: never; need: Need; reason: string; mayAsk: boolean }
  | { kind: 'invalid'; tool: Tool | undefined; why: string };

/** The tools of a run: as they are described to the model, and as it calls them. */
export class ToolCalls {
  readonly #context: CallContext;
  readonly #itemIds = new ItemIds();
  #toolSet: ToolSet | undefined;

  constructor({ tools, decide }: Toolbox, { options, emit }: CallOptions) {
    this.#context = { tools: new Map(tools.map((tool) => [tool.name, tool])), decide, options, emit };
  }

  get count(): number {
    return this.#context.tools.size;
  }

  get toolSet(): ToolSet {
    return (this.#toolSet ??= toolSetOf([...this.#context.tools.values()]));
  }

  /**
   * Runs the calls of one answer, some at once, in the order the model gave them; writes wait for each other.
   * Every call gets its events and, unless the model already knows it, its result.
   */
  async run(calls: readonly ModelCall[], turnId: string): Promise<ToolResultPart[]> {
    let lastWrite: Promise<unknown> = Promise.resolve();
    const start = (call: ModelCall): ToolResultPart | undefined | Promise<ToolResultPart> => {
      const plan = planCall(call, this.#context);
      const itemId = this.#itemIds.of(call.id);
      this.#context.emit({
        type: 'item.started',
        item_id: itemId,
        turn_id: turnId,
        kind: plan.tool?.kind ?? 'tool_call',
        name: call.name,
        args: jsonOf(call.input),
        ...(call === calls[0] && calls.length > 1 ? { call_count: calls.length } : {}),
      });
      if (plan.kind === 'denied' && plan.mayAsk && this.#context.options.ask !== undefined)
        return askFirst(call, itemId, plan, this.#context, lastWrite);
      if (plan.kind !== 'run') return settle(call, itemId, plan, this.#context);
      const before = plan.need.access === 'write' ? lastWrite : undefined;
      const run = runOne(call, itemId, plan, this.#context, before);
      if (before !== undefined) lastWrite = run;
      return run;
    };
    const results: (ToolResultPart | undefined)[] = [];
    const waiting = calls.entries();
    const runSome = async (): Promise<void> => {
      for (const [index, call] of waiting) results[index] = await start(call);
    };
    await Promise.all(Array.from({ length: mostAtOnce }, runSome));
    return results.filter((result) => result !== undefined);
  }
}

function planCall(call: ModelCall, { tools, decide, options }: CallContext): Plan {
  const tool = tools.get(call.name);
  if (tool === undefined || call.invalid !== undefined)
    return { kind: 'invalid', tool, why: call.invalid ?? `there is no tool ${call.name}` };
  const parsed = tool.input.safeParse(call.input);
  if (!parsed.success)
    return { kind: 'invalid', tool, why: `the arguments do not fit: ${z.prettifyError(parsed.error)}` };
  const input = parsed.data;
  let need: Need;
  let decision: Decision;
  try {
    need = tool.need(input, { cwd: options.cwd });
    decision = decide(options.permissions, tool.name, need);
  } catch (error) {
    return { kind: 'invalid', tool, why: `the arguments do not fit: ${messageOf(error)}` };
  }
  if (decision.allowed) return { kind: 'run', tool, input, need };
  return { kind: 'denied', tool, input, need, reason: decision.reason, mayAsk: decision.mayAsk === true };
}

/** A person decides. The call waits for the writes before it; writes after it do not wait for the person. */
async function askFirst(
  call: ModelCall,
  itemId: string,
  plan: Plan & { kind: 'denied' },
  context: CallContext,
  lastWrite: Promise<unknown>,
): Promise<ToolResultPart> {
  const { options, emit } = context;
  const { tool, input, need, reason } = plan;
  const permission = { permission_id: `permission_${itemId}`, item_id: itemId };
  emit({ type: 'permission.requested', ...permission, what: tool.name, pattern: need.subject });
  const question = { itemId, kind: tool.kind, name: tool.name, subject: need.subject, reason };
  const allowed =
    (await options.ask?.(question, options.signal).catch(() => false)) === true && !options.signal.aborted;
  emit({ type: 'permission.resolved', ...permission, decision: allowed ? 'allowed' : 'denied', by: 'user' });
  if (allowed)
    return runOne(
      call,
      itemId,
      { kind: 'run', tool, input, need },
      context,
      need.access === 'write' ? lastWrite : undefined,
    );
  emit({ type: 'item.completed', item_id: itemId, status: 'denied', error: 'the user said no', duration_ms: 0 });
  return resultPart(call, { type: 'execution-denied', reason: 'the user said no' });
}

function settle(
  call: ModelCall,
  itemId: string,
  plan: Exclude<Plan, { kind: 'run' }>,
  { emit }: CallContext,
): ToolResultPart | undefined {
  if (plan.kind === 'invalid') {
    emit({ type: 'item.completed', item_id: itemId, status: 'error', error: plan.why, duration_ms: 0 });
    return call.invalid === undefined ? resultPart(call, { type: 'error-text', value: plan.why }) : undefined;
  }
  const permission_id = `permission_${itemId}`;
  const { tool, need, reason } = plan;
  emit({ type: 'permission.requested', permission_id, item_id: itemId, what: tool.name, pattern: need.subject });
  emit({ type: 'permission.resolved', permission_id, item_id: itemId, decision: 'denied', by: 'rule' });
  emit({ type: 'item.completed', item_id: itemId, status: 'denied', error: reason, duration_ms: 0 });
  return resultPart(call, { type: 'execution-denied', reason });
}

async function runOne(
  call: ModelCall,
  itemId: string,
  { tool, input, need }: Plan & { kind: 'run' },
  { options, emit }: CallContext,
  before: Promise<unknown> | undefined,
): Promise<ToolResultPart> {
  const { cwd, env, signal, hide = (text) => text } = options;
  await before;
  const startedAt = performance.now();
  let open = true;
  const tell = (draft: Draft): void => void (open && emit(draft));
  const result = signal.aborted
    ? cancelled
    : await withPatience(
        attempt(() => tool.run(input, { itemId, cwd, env, signal, emit: tell })),
        signal,
      );
  open = false;
  // A tool that was stopped may report that as an error; `cancelled` is more accurate.
  const output = hide(result.output, tool.name, need.subject);
  const status: ItemStatus = signal.aborted && result.status !== 'success' ? 'cancelled' : result.status;
  emit({
    type: 'item.completed',
    item_id: itemId,
    status,
    output,
    ...present({ exit_code: result.exit_code, branch_id: result.branch_id, summary: result.summary }),
    duration_ms: Math.round(performance.now() - startedAt),
  });
  return resultPart(call, outputOf(status, output));
}

const cancelled: ToolResult = { status: 'cancelled', output: 'cancelled' };

async function attempt(run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run();
  } catch (error) {
    return { status: 'error', output: `the tool failed: ${messageOf(error)}` };
  }
}

async function withPatience(work: Promise<ToolResult>, signal: AbortSignal): Promise<ToolResult> {
  let timer: NodeJS.Timeout | undefined;
  let stopWaiting = (): void => {};
  const late = new Promise<ToolResult>((resolve) => {
    stopWaiting = () => void (timer = setTimeout(() => resolve(cancelled), patienceMs));
  });
  signal.addEventListener('abort', stopWaiting, { once: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    signal.removeEventListener('abort', stopWaiting);
    clearTimeout(timer);
  }
}

function outputOf(status: ItemStatus, output: string): ToolResultPart['output'] {
  if (status === 'success') return { type: 'text', value: output };
  if (status === 'denied') return { type: 'execution-denied', reason: output };
  return { type: 'error-text', value: output === '' ? status : output };
}

const resultPart = (call: ModelCall, output: ToolResultPart['output']): ToolResultPart => ({
  type: 'tool-result',
  toolCallId: call.id,
  toolName: call.name,
  output,
});

/** Arguments as they are emitted: whatever the model sent, as JSON. */
function jsonOf(input: unknown): Extract<Draft, { type: 'item.started' }>['args'] {
  const parsed = z.json().safeParse(input ?? {});
  return parsed.success ? parsed.data : String(input);
}

/** The provider's ids, made unique: some servers restart their count with every answer. */
class ItemIds {
  readonly #used = new Set<string>();
  readonly #times = new Map<string, number>();

  of(callId: string): string {
    const name = callId === '' ? 'call' : callId;
    let times = (this.#times.get(name) ?? 0) + 1;
    let id = times === 1 ? name : `${name}_${times}`;
    for (; this.#used.has(id); id = `${name}_${times}`) times += 1;
    this.#times.set(name, times);
    this.#used.add(id);
    return id;
  }
}
