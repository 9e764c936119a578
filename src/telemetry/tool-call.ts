import type { EventOf } from '../events/event.ts';
import { attributes, short, SpanEvents, spanName } from './attributes.ts';
import { answerMessage, shortened } from './content.ts';
import { errorTypeOfCall } from './failures.ts';
import { callSpanId, recordSpanId } from './ids.ts';
import { names, operations, ownNames } from './names.ts';
import { providerOf } from './providers.ts';
import type { Span } from './span.ts';

type Started = EventOf<'item.started'> & { sequence: number };

/** One call of a tool, from its start to its end, and the agent that it may be. */
export class ToolCall {
  readonly spanId: string;
  readonly events = new SpanEvents();
  readonly #started: Started;
  readonly #parentSpanId: string;
  #agentSpanId: string | undefined;
  #start: number;
  #end: number;
  permission: 'allowed' | 'denied' | undefined;
  /** What a sub-agent said last. */
  answer: string | undefined;

  constructor(started: Started, { runId, parentSpanId, now }: { runId: string; parentSpanId: string; now: number }) {
    const isAgent = started.kind === 'subagent';
    this.#started = started;
    this.#parentSpanId = parentSpanId;
    this.spanId = isAgent ? callSpanId(runId, started.item_id) : recordSpanId(runId, started.sequence, 'call');
    this.#agentSpanId = isAgent ? recordSpanId(runId, started.sequence, 'agent') : undefined;
    this.#start = this.#end = now;
  }

  get parentItem(): string | undefined {
    return this.#started.parent_item_id;
  }

  /** The span that what happens inside of it is below of. */
  get innerSpanId(): string {
    return this.#agentSpanId ?? this.spanId;
  }

  /** It is the work of another run, which tells its own spans. */
  delegate(): void {
    this.#agentSpanId = undefined;
  }

  /** Something inside of it happened then. */
  includes(start: number, end: number): void {
    this.#start = Math.min(this.#start, start);
    this.#end = Math.max(this.#end, end);
  }

  /** The spans of its agent, if it is one, and of itself. */
  spans(
    ended: EventOf<'item.completed'>,
    { agent, model, capturesContent }: { agent: string | undefined; model: string | undefined; capturesContent: boolean },
  ): { agent: Omit<Span, 'traceId'> | undefined; call: Omit<Span, 'traceId'> } {
    const type = errorTypeOfCall(ended.status);
    const time = { kind: 'internal', start: this.#start, end: this.#end, events: [], droppedEvents: 0 } as const;
    const { kind, args, item_id, native_name, name } = this.#started;
    const tool = short(native_name ?? name);
    const subagent = agentIn(args);
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
                  this.answer === undefined ? undefined : answerMessage(this.answer, type === undefined ? 'stop' : 'error'),
              }),
              error: type,
            },
      call: {
        ...time,
        spanId: this.spanId,
        parentSpanId: this.#parentSpanId,
        name: spanName(operations.executeTool, tool),
        attributes: attributes({
          [names.operation]: operations.executeTool,
          [names.tool]: tool,
          // The tools of the built-in agent are ours; those of others run inside of them.
          [names.toolType]: agent === 'runwire' ? 'function' : 'extension',
          [names.toolCall]: short(item_id),
          [names.mcpMethod]: kind === 'mcp' ? 'tools/call' : undefined,
          [ownNames.toolKind]: kind,
          [ownNames.toolStatus]: ended.status,
          [ownNames.toolPermission]: this.permission,
          [names.exitCode]: ended.exit_code,
          [names.errorType]: type,
          [names.toolArguments]: capturesContent ? shortened(args) : undefined,
          [names.toolResult]:
            capturesContent && ended.status === 'success' && ended.output !== undefined ? shortened(ended.output) : undefined,
        }),
        error: type === undefined ? undefined : ended.exit_code === undefined ? ended.status : `exit code ${ended.exit_code}`,
      },
    };
  }
}

/** The kind of agent that a call asks for, where it names one. */
function agentIn(args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const { subagent_type, agent, agent_name } = args as Record<string, unknown>;
  const found = [subagent_type, agent, agent_name].find((each) => typeof each === 'string' && /^[\w.@/-]{1,100}$/.test(each));
  return typeof found === 'string' ? found : undefined;
}
