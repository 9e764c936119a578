import type { EventOf } from '../events/event.ts';
import { present } from '../json/present.ts';
import { attributes, short, SpanEvents, spanName } from './attributes.ts';
import { answerMessage, shortened } from './content.ts';
import { errorTypeOfCall } from './failures.ts';
import { callSpanId, recordSpanId } from './ids.ts';
import { names, operations, ownNames } from './names.ts';
import { providerOf } from './providers.ts';
import type { Span } from './span.ts';

type Started = EventOf<'item.started'> & { sequence: number };

/** One tool call, from its start to its end, and the sub-agent that it may be. */
export class ToolCall {
  readonly spanId: string;
  readonly events = new SpanEvents();
  readonly #started: Pick<Started, 'kind' | 'parent_item_id' | 'item_id'>;
  readonly #tool: string;
  readonly #subagent: string | undefined;
  /** Set only if content is exported. */
  readonly #args: string | undefined;
  readonly #parentSpanId: string;
  #agentSpanId: string | undefined;
  #start: number;
  #end: number;
  permission: 'allowed' | 'denied' | undefined;
  /** The last words of a sub-agent. */
  answer: string | undefined;

  constructor(
    { kind, parent_item_id, item_id, native_name, name, args, sequence }: Started,
    {
      runId,
      parentSpanId,
      now,
      capturesContent,
    }: { runId: string; parentSpanId: string; now: number; capturesContent: boolean },
  ) {
    const isAgent = kind === 'subagent';
    this.#started = { kind, item_id, ...present({ parent_item_id }) };
    this.#tool = short(native_name ?? name);
    this.#subagent = isAgent ? agentIn(args) : undefined;
    this.#args = capturesContent ? shortened(args) : undefined;
    this.#parentSpanId = parentSpanId;
    this.spanId = isAgent ? callSpanId(runId, item_id) : recordSpanId(runId, sequence, 'call');
    this.#agentSpanId = isAgent ? recordSpanId(runId, sequence, 'agent') : undefined;
    this.#start = this.#end = now;
  }

  get parentItem(): string | undefined {
    return this.#started.parent_item_id;
  }

  /** The parent span of everything inside the call. */
  get innerSpanId(): string {
    return this.#agentSpanId ?? this.spanId;
  }

  /** The work is done by another run, which exports its own spans. */
  delegate(): void {
    this.#agentSpanId = undefined;
  }

  /** Extends the call to include something that happened inside it. */
  includes(start: number, end: number): void {
    this.#start = Math.min(this.#start, start);
    this.#end = Math.max(this.#end, end);
  }

  /** The spans of its agent, if it is one, and of itself. */
  spans(
    ended: EventOf<'item.completed'>,
    {
      agent,
      model,
      capturesContent,
    }: { agent: string | undefined; model: string | undefined; capturesContent: boolean },
  ): { agent: Omit<Span, 'traceId'> | undefined; call: Omit<Span, 'traceId'> } {
    const type = errorTypeOfCall(ended.status);
    const time = { kind: 'internal', start: this.#start, end: this.#end, events: [], droppedEvents: 0 } as const;
    const { kind, item_id } = this.#started;
    const subagent = this.#subagent;
    return {
      agent:
        this.#agentSpanId === undefined
          ? undefined
          : {
              ...time,
              spanId: this.#agentSpanId,
              parentSpanId: this.spanId,
              name: spanName(operations.invokeAgent, subagent),
              attributes: attributes({
                [names.operation]: operations.invokeAgent,
                [names.provider]: providerOf(model, agent),
                [names.agent]: subagent,
                [names.errorType]: type,
                [names.outputMessages]:
                  this.answer === undefined
                    ? undefined
                    : answerMessage(this.answer, type === undefined ? 'stop' : 'error'),
              }),
              error: type,
            },
      call: {
        ...time,
        spanId: this.spanId,
        parentSpanId: this.#parentSpanId,
        name: spanName(operations.executeTool, this.#tool),
        attributes: attributes({
          [names.operation]: operations.executeTool,
          [names.tool]: this.#tool,
          // The tools of the built-in agent are ours; those of other agents run inside them.
          [names.toolType]: agent === 'runwire' ? 'function' : 'extension',
          [names.toolCall]: short(item_id),
          [names.mcpMethod]: kind === 'mcp' ? 'tools/call' : undefined,
          [ownNames.toolKind]: kind,
          [ownNames.toolStatus]: ended.status,
          [ownNames.toolPermission]: this.permission,
          [names.exitCode]: ended.exit_code,
          [names.errorType]: type,
          [names.toolArguments]: this.#args,
          [names.toolResult]:
            capturesContent && ended.status === 'success' && ended.output !== undefined
              ? shortened(ended.output)
              : undefined,
        }),
        error:
          type === undefined
            ? undefined
            : ended.exit_code === undefined
              ? ended.status
              : `exit code ${ended.exit_code}`,
      },
    };
  }
}

/** The kind of agent that a call asks for, if it names one. */
function agentIn(args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const { subagent_type, agent, agent_name } = args as Record<string, unknown>;
  const found = [subagent_type, agent, agent_name].find(
    (each) => typeof each === 'string' && /^[\w.@/-]{1,100}$/.test(each),
  );
  return typeof found === 'string' ? found : undefined;
}
