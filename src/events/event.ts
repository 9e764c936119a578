import { z } from 'zod';
import { isolations } from '../words/vocabulary.ts';
import { ModelRequested, ModelResponded, WireRecorded } from './model-events.ts';
import { networkFields, NetworkRefused } from './network-events.ts';
import { ErrorCode, FileOperation, FinishReason, ItemKind, ItemStatus, Verified } from './words.ts';

export { ErrorCode, FileOperation, FinishReason, ItemKind, ItemStatus, Verified };

const Id = z.string().min(1);
const Text = z.string();
const Count = z.int().nonnegative();
const Tokens = z.number().nonnegative();
const Json = z.json();

const limitName = z.enum(['turns', 'cost', 'tokens', 'time', 'idle', 'first_event', 'tool_calls', 'repeats']);
const pauseReason = z.enum(['limit', 'person']);

const block = { turn_id: Id, message_id: Id, block_id: Id, parent_item_id: Id.optional(), text: Text };

/** One fact about a run, whichever agent reported it. Tags are `noun.past-verb`. An event holds no time and none of our own ids. */
export const AgentEvent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('thread.started'),
    task: Text.optional(),
    agent: Text.optional(),
    agent_version: Text.optional(),
    model: Text.optional(),
    session_id: Text.optional(),
    parent_session_id: Text.optional(),
    /** The session existed before this run; the `earlier_` fields say how much it had used, if that is known. */
    resumed: z.boolean().optional(),
    earlier_input_tokens: Tokens.optional(),
    earlier_output_tokens: Tokens.optional(),
    earlier_reasoning_tokens: Tokens.optional(),
    earlier_cache_read_tokens: Tokens.optional(),
    cwd: Text.optional(),
    project_name: Text.optional(),
    parent_branch_id: Text.optional(),
    headless: z.boolean().optional(),
    ...networkFields,
    /** The run in the ledger, and, where it has them, its parent and the root of its tree. */
    run_id: Id.optional(),
    parent_run_id: Id.optional(),
    root_run_id: Id.optional(),
    /** The trace and the span that the run was started in, as W3C Trace Context writes them. */
    traceparent: Text.optional(),
  }),
  z.strictObject({
    type: z.literal('prompt.submitted'),
    text: Text,
    message_id: Id.optional(),
    /** The instructions that the model was given with it. */
    system: Text.optional(),
  }),
  z.strictObject({
    type: z.literal('turn.started'),
    turn_id: Id,
    iteration: Count,
    message_count: Count.optional(),
    tool_count: Count.optional(),
    model: Text.optional(),
  }),
  z.strictObject({
    type: z.literal('turn.completed'),
    turn_id: Id,
    iteration: Count,
    tool_call_count: Count,
    has_final_report: z.boolean(),
    finish_reason: FinishReason.optional(),
    raw_finish_reason: Text.optional(),
  }),
  z.strictObject({ type: z.literal('text.delta'), ...block }),
  z.strictObject({ type: z.literal('text.completed'), ...block }),
  z.strictObject({ type: z.literal('reasoning.delta'), ...block }),
  z.strictObject({ type: z.literal('reasoning.completed'), ...block }),
  z.strictObject({
    type: z.literal('item.started'),
    item_id: Id,
    turn_id: Id,
    parent_item_id: Id.optional(),
    kind: ItemKind,
    name: Text,
    native_name: Text.optional(),
    args: Json,
    /** On the first of several calls of one answer, if known then: how many the answer holds; 0: it was not asked for by the answer. */
    call_count: Count.optional(),
  }),
  z.strictObject({
    type: z.literal('item.output'),
    item_id: Id,
    stream: z.enum(['stdout', 'stderr', 'progress']).optional(),
    chunk: Text,
  }),
  z.strictObject({
    type: z.literal('item.completed'),
    item_id: Id,
    status: ItemStatus,
    output: Json.optional(),
    error: Text.optional(),
    exit_code: z.int().optional(),
    duration_ms: z.number().nonnegative().optional(),
    branch_id: Text.optional(),
    summary: Text.optional(),
  }),
  z.strictObject({
    type: z.literal('file.edited'),
    path: Text,
    operation: FileOperation,
    item_id: Id.optional(),
    additions: Count.optional(),
    deletions: Count.optional(),
    diff: Text.optional(),
    /** Its current size in bytes. */
    size: Count.optional(),
    file_type: z.enum(['file', 'directory']).optional(),
  }),
  z.strictObject({
    type: z.literal('permission.requested'),
    permission_id: Id,
    item_id: Id.optional(),
    what: Text,
    pattern: Text.optional(),
    title: Text.optional(),
  }),
  z.strictObject({
    type: z.literal('permission.resolved'),
    permission_id: Id,
    item_id: Id.optional(),
    decision: z.enum(['allowed', 'denied']),
    raw_decision: Text.optional(),
    by: z.enum(['user', 'rule', 'agent', 'runner']).optional(),
  }),
  z.strictObject({
    type: z.literal('usage.reported'),
    scope: z.enum(['step', 'turn', 'thread']),
    model: Text.optional(),
    input_tokens: Tokens.optional(),
    output_tokens: Tokens.optional(),
    reasoning_tokens: Tokens.optional(),
    cache_read_tokens: Tokens.optional(),
    cache_write_tokens: Tokens.optional(),
    /** How much of the input came from a cache is not told: what it cost depends on that. Absent: what is not told is none. */
    cache_is: z.literal('unknown').optional(),
    /** The part of the cache writes that is kept for an hour. */
    cache_write_1h_tokens: Tokens.optional(),
    web_searches: Count.optional(),
    /** `batch`, `priority`, `flex`, …; absent: the standard one, or not known. */
    service_tier: Text.optional(),
    /** With scope `step`: this is more of a model call that was reported before, which has this much input in all. */
    call_input_tokens: Tokens.optional(),
    cost_usd: z.number().nonnegative().optional(),
    /** The cost is tokens × price, not a figure from the provider. */
    cost_computed: z.boolean().optional(),
    /** The cost is a lower bound. */
    cost_is: z.literal('at_least').optional(),
    /** A thread's total that counts the whole session, including the runs before a resume. */
    whole_session: z.boolean().optional(),
  }),
  /** What the runs below this one used, each counted once: a total that is not part of this run's own usage. A later event replaces it. */
  z.strictObject({
    type: z.literal('children.reported'),
    runs: Count,
    tokens_used: Tokens.optional(),
    input_tokens: Tokens.optional(),
    output_tokens: Tokens.optional(),
    /** The sum over the runs that reported a cost; `cost_known` says how many did. */
    cost_usd: z.number().nonnegative().optional(),
    cost_known: Count,
    /** Some of the costs are lower bounds, so the sum is one too. */
    cost_is: z.literal('at_least').optional(),
  }),
  z.strictObject({
    type: z.literal('retry.scheduled'),
    /** `run`: the agent is started again, and what follows is judged afresh; absent: the agent retries a single step itself. */
    scope: z.literal('run').optional(),
    /** With scope `run`: it resumes its session instead of starting afresh. */
    resumes: z.boolean().optional(),
    attempt: Count.optional(),
    max_attempts: Count.optional(),
    delay_ms: z.number().nonnegative().optional(),
    code: ErrorCode.optional(),
    cause: Text,
    /** With scope `run`: another agent goes on, and with which model it was asked to. */
    agent: Text.optional(),
    model: Text.optional(),
  }),
  /** The run stands still, with all its clocks: until a limit of the provider resets, or until a person lets it go on. */
  z.strictObject({
    type: z.literal('run.paused'),
    reason: pauseReason,
    /** When it goes on by itself, in ms since the epoch. */
    until_ms: z.number().optional(),
    code: ErrorCode.optional(),
    cause: Text.optional(),
    /** Who paused it. */
    by: Text.optional(),
  }),
  z.strictObject({
    type: z.literal('run.resumed'),
    reason: pauseReason,
    paused_ms: z.number().nonnegative(),
    by: Text.optional(),
  }),
  /** A person changed a limit while the run was going on. */
  z.strictObject({
    type: z.literal('limit.changed'),
    limit: limitName,
    maximum: z.number(),
    /** What it was before; absent: there was none. */
    before: z.number().optional(),
    by: Text.optional(),
  }),
  z.strictObject({
    type: z.literal('limit.reached'),
    limit: limitName,
    value: z.number().optional(),
    maximum: z.number().optional(),
    message: Text.optional(),
    /** The agent had already finished when this became known: nothing was stopped. */
    late: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal('rate_limit.reported'),
    status: Text.optional(),
    window: Text.optional(),
    utilization: z.number().optional(),
    resets_at_ms: z.number().optional(),
  }),
  ModelRequested,
  ModelResponded,
  WireRecorded,
  NetworkRefused,
  /** What is known about a branch of the work; later events add to earlier ones for the same branch. */
  z.strictObject({
    type: z.literal('branch.updated'),
    branch_id: Id,
    parent_branch_id: Text.optional(),
    /** The branch that the work began from. */
    is_start: z.boolean().optional(),
    commit: Text.optional(),
    /** The agent that works on it, and its run in the ledger. */
    agent: Text.optional(),
    run_id: Id.optional(),
    /** `running`, or the class of the verdict. */
    status: Text.optional(),
    verified: Verified.optional(),
    /** It was chosen among several branches that did the same work. */
    winner: z.boolean().optional(),
    /** What the reader should know besides the verdict: tests changed or deleted, protected files touched. */
    remarks: Text.optional(),
    /** How many files differ from its parent, and how many lines were added and removed in them. */
    files: Count.optional(),
    additions: Count.optional(),
    deletions: Count.optional(),
    cost_usd: z.number().nonnegative().optional(),
    /** How the private copy that it was made in was isolated. */
    isolation: z.enum(isolations).optional(),
    item_id: Id.optional(),
  }),
  z.strictObject({
    type: z.literal('branch.published'),
    branch_id: Id,
    status: z.enum(['success', 'error']),
    remote: Text.optional(),
    ref: Text.optional(),
    commit: Text.optional(),
    url: Text.optional(),
    /** Nothing was sent: this is what would have been sent. */
    dry_run: z.boolean().optional(),
    message: Text.optional(),
  }),
  /** The result of one expectation. */
  z.strictObject({ type: z.literal('expectation.checked'), rule: Text, passed: z.boolean(), detail: Text }),
  z.strictObject({
    type: z.literal('log'),
    stream: z.enum(['stdout', 'stderr', 'agent']),
    level: z.enum(['debug', 'info', 'warning', 'error']).optional(),
    /** `cut`: the last line stopped in the middle; `broken`: JSON that cannot be read; absent: the agent's own words. */
    cause: z.enum(['noise', 'broken', 'cut', 'oversize']).optional(),
    text: Text,
  }),
  z.strictObject({
    type: z.literal('error'),
    scope: Text,
    code: ErrorCode,
    name: Text.optional(),
    message: Text,
    retryable: z.boolean().optional(),
    /** true: the run ends because of it unless the agent later claims success; false: the run goes on. */
    fatal: z.boolean(),
    http_status: z.int().optional(),
    stack: Text.optional(),
    iteration: Count.optional(),
    turn_id: Id.optional(),
    item_id: Id.optional(),
  }),
  z.strictObject({
    type: z.literal('agent.finished'),
    status: z.enum(['ok', 'failed', 'cancelled']),
    code: ErrorCode.optional(),
    raw_status: Text.optional(),
    message: Text.optional(),
    duration_ms: z.number().nonnegative().optional(),
    /** False: its last message has no text, and earlier messages are not its answer. */
    has_answer: z.boolean().optional(),
    /** How many turns it counted, if only this event speaks of them: its calls are not known then. */
    turns: z.int().nonnegative().optional(),
    /** The log leaves out what it said. */
    is_answer_withheld: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal('process.ended'),
    exit_code: z.int().nullable(),
    signal: Text.nullable(),
    reason: z.enum(['exited', 'signalled', 'timeout', 'lost']),
    /** The signal that Runwire sent it; an agent may turn this into any exit code. */
    requested_signal: Text.optional(),
    /** Processes that it left behind, and that Runwire ended. */
    left_running: Count.optional(),
    /** Output that Runwire no longer read because the time allowed for stopping had run out. */
    unread_bytes: Count.optional(),
    /** The session it belonged to, when that is not the one the thread started with. */
    session_id: Text.optional(),
  }),
  z.strictObject({ type: z.literal('line.unknown'), dialect: Text, wire: Json }),
  z.strictObject({
    type: z.literal('thread.completed'),
    status: z.enum(['success', 'error', 'cancelled', 'incomplete']),
    summary: Text,
    verdict: z.strictObject({
      class: Text,
      exit_code: z.int(),
      evidence: z.array(z.strictObject({ signal: Text, detail: Text })),
    }),
    /** The whole RunOutcome; its own schema is `outcome`. */
    final_report: z.record(z.string(), Json),
  }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
export type EventType = AgentEvent['type'];
export type EventOf<Type extends EventType> = Extract<AgentEvent, { type: Type }>;
/** The agent's own word on how it ended. */
export type Claim = EventOf<'agent.finished'>;
export type ItemKind = z.infer<typeof ItemKind>;
export type ItemStatus = z.infer<typeof ItemStatus>;
export type FinishReason = z.infer<typeof FinishReason>;
export type FileOperation = z.infer<typeof FileOperation>;
export type ErrorCode = z.infer<typeof ErrorCode>;

/** `wire`: what was seen on the way between the agent and its model. */
export const EventSource = z.enum(['agent', 'runner', 'wire']);
export type EventSource = z.infer<typeof EventSource>;

const envelope = {
  sequence: z.int().positive(),
  /** RFC 3339 UTC; null when neither the agent nor a clock supplied it (a stored log of a dialect without times). */
  timestamp: z.iso.datetime().nullable(),
  thread_id: Id,
  source: EventSource,
  /** true: not on the wire, added so that every start has its end and every end its start. */
  synthetic: z.boolean(),
};

/** An event with its place in the run: one line of a tape. */
export const EventRecord = z.discriminatedUnion(
  'type',
  AgentEvent.options.map((event) => event.extend(envelope)) as unknown as typeof AgentEvent.options,
);
export interface Envelope {
  sequence: number;
  timestamp: string | null;
  thread_id: string;
  source: EventSource;
  synthetic: boolean;
}
export type EventRecord = AgentEvent & Envelope;

/** Fields that a decoder may leave to the repair stage, because they follow from the order of events. */
type Filled = 'turn_id' | 'message_id' | 'block_id' | 'iteration' | 'tool_call_count' | 'has_final_report';
type Loosen<Event> = Event extends AgentEvent
  ? Omit<Event, Filled & keyof Event> & Partial<Pick<Event, Filled & keyof Event>>
  : never;
/** An event as a decoder emits it, before repair; once emitted it belongs to the receiver, and becomes the record. */
export type Draft = Loosen<AgentEvent>;
