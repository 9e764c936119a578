import type { ModelMessage, ToolSet } from 'ai';
import type { Draft, FinishReason } from '../events/event.ts';
import { Failure } from '../failure.ts';
import type { AgentOptions } from './agent.ts';
import type { Answer, Asked } from './models/call.ts';
import { ItemIds, runCalls, type Workbench } from './tools/run-calls.ts';
import { planCompaction, promptWithSummary, summarySystem } from './compaction.ts';
import type { Spending } from './spending.ts';
import type { Fault } from './models/fault.ts';
import { cancelledBy, type Claim } from './loop.ts';
import { type CheckAnswer, repairRequest } from './output-schema.ts';
import type { PatientModel } from './models/patient-model.ts';
import { saveSession } from './session.ts';
import { type Toolbox, toolSetOf } from './tools/toolbox.ts';

interface Setting {
  options: AgentOptions;
  sessionId: string;
  model: PatientModel;
  spending: Spending;
  system: string;
  check: CheckAnswer | undefined;
  toolbox: Toolbox;
  earlier: readonly ModelMessage[];
  emit: (draft: Draft) => void;
}

interface Turn {
  iteration: number;
  turn_id: string;
}

/** Below this no known window is nearly full, so the table of windows need not be loaded. */
const smallRequest = 24_000;
/** How full a window may be before the next request is made smaller. */
const fullness = 0.85;

/** Question, answer, calls, and again, until the model calls no more tools or something ends it. */
export class Conversation {
  readonly #set: Setting;
  readonly #bench: Workbench;
  readonly #toolSet: ToolSet;
  readonly #itemIds = new ItemIds();
  #messages: ModelMessage[];
  /** Where this run's prompt stands. */
  #promptAt: number;
  #askedToRepair = false;
  #cannotSave = false;

  constructor(setting: Setting) {
    const { options, toolbox, earlier, emit } = setting;
    this.#set = setting;
    this.#bench = { tools: new Map(toolbox.tools.map((tool) => [tool.name, tool])), decide: toolbox.decide, options, emit };
    this.#toolSet = toolSetOf(toolbox.tools);
    this.#messages = [...earlier, { role: 'user', content: options.prompt }];
    this.#promptAt = earlier.length;
  }

  async toEnd(): Promise<Claim> {
    const { signal } = this.#set.options;
    for (let iteration = 1; ; iteration += 1) {
      if (signal.aborted) return cancelledBy(signal);
      const limited = this.#limit(iteration);
      if (limited !== undefined) return limited;
      const claim = await this.#turn({ iteration, turn_id: `turn_${iteration}` });
      await this.#save();
      if (claim !== undefined) return claim;
    }
  }

  /** Limits are looked at before more is spent: an answer that is already there is not taken back. */
  #limit(iteration: number): Claim | undefined {
    const { options, spending, model, emit } = this.#set;
    const { maxTurns } = options;
    if (!spending.isKnown) throw new Failure('config', `${model.id} does not report its usage, so a cost limit cannot be kept`);
    if (maxTurns !== undefined && iteration > maxTurns) {
      const message = `the run reached its limit of ${maxTurns} ${maxTurns === 1 ? 'turn' : 'turns'}`;
      emit({ type: 'limit.reached', limit: 'turns', value: iteration - 1, maximum: maxTurns, message });
      return { status: 'failed', code: 'turn_limit', message };
    }
    const { overrun } = spending;
    if (overrun === undefined) return undefined;
    const message = `the run reached its cost limit: $${overrun.value} of $${overrun.maximum}`;
    emit({ type: 'limit.reached', limit: 'cost', ...overrun, message });
    return { status: 'failed', code: 'cost_limit', message };
  }

  /** One turn; a claim when it was the last. */
  async #turn(turn: Turn): Promise<Claim | undefined> {
    const { options, model, emit } = this.#set;
    emit({
      type: 'turn.started',
      ...turn,
      message_count: this.#messages.length,
      tool_count: this.#bench.tools.size,
      model: model.id,
    });
    await this.#compactIfNearlyFull(turn);
    const asked = await this.#ask(turn);
    if ('aborted' in asked) {
      this.#keepWords(asked.text);
      return this.#completed(turn, { finish: 'aborted' }, cancelledBy(options.signal));
    }
    if ('fault' in asked) {
      this.#tellFault(asked.fault, turn);
      const { code, message } = asked.fault;
      return this.#completed(turn, { finish: 'error' }, { status: 'failed', code, message });
    }
    return this.#completed(turn, asked.answer, await this.#act(asked.answer, turn));
  }

  /** Does what the answer asks for; a claim when it asks for nothing more. */
  async #act(answer: Answer, turn: Turn): Promise<Claim | undefined> {
    const { options } = this.#set;
    if (answer.finish === 'content_filter' || answer.finish === 'length') {
      this.#keepWords(answer.text);
      return answer.finish === 'length'
        ? { status: 'failed', code: 'output_length', message: 'the answer was longer than the model may write' }
        : {
            status: 'failed',
            code: 'refused',
            message: answer.text === '' ? 'the model refused to answer' : `the model refused: ${answer.text}`,
          };
    }
    this.#messages.push(...answer.messages);
    if (answer.calls.length === 0) return this.#finish(answer, turn);
    const results = await runCalls(answer.calls, turn.turn_id, this.#itemIds, this.#bench);
    if (results.length > 0) this.#messages.push({ role: 'tool', content: results });
    return options.signal.aborted ? cancelledBy(options.signal) : undefined;
  }

  #finish({ text }: Answer, turn: Turn): Claim | undefined {
    const problem = this.#set.check?.(text);
    if (problem === undefined) return { status: 'ok', ...(text.trim() === '' ? {} : { message: text }) };
    if (!this.#askedToRepair) {
      this.#askedToRepair = true;
      this.#messages.push({ role: 'user', content: repairRequest(problem) });
      this.#set.emit({ type: 'log', stream: 'agent', level: 'warning', text: `the answer does not match the output schema: ${problem}` });
      return undefined;
    }
    const message = `the answer does not match the output schema: ${problem}`;
    this.#set.emit({ type: 'error', scope: 'agent', code: 'unknown', message, retryable: false, fatal: true, ...turn });
    return { status: 'failed', code: 'unknown', message };
  }

  #completed(
    turn: Turn,
    answer: { finish: FinishReason; rawFinish?: string; calls?: readonly unknown[] },
    claim: Claim | undefined,
  ): Claim | undefined {
    const { finish, rawFinish, calls = [] } = answer;
    this.#set.emit({
      type: 'turn.completed',
      ...turn,
      tool_call_count: calls.length,
      has_final_report: claim?.status === 'ok',
      finish_reason: claim?.status === 'cancelled' ? 'aborted' : finish,
      ...(rawFinish === undefined ? {} : { raw_finish_reason: rawFinish }),
    });
    return claim;
  }

  #tellFault({ code, message, retryable, name, http_status }: Fault, turn: Turn): void {
    this.#set.emit({
      type: 'error',
      scope: code === 'config' ? 'config' : 'provider',
      code,
      message,
      retryable,
      fatal: true,
      ...(name === undefined ? {} : { name }),
      ...(http_status === undefined ? {} : { http_status }),
      ...turn,
    });
  }

  /** Words of an answer that cannot be kept as it is: a call without a result would make the conversation invalid. */
  #keepWords(text: string): void {
    if (text.trim() !== '') this.#messages.push({ role: 'assistant', content: text });
  }

  /** Asks; when the conversation has become too long, makes it shorter and asks again, twice at most. */
  async #ask({ turn_id, iteration }: Turn): Promise<Asked> {
    const { model, system, options } = this.#set;
    for (let shortened: 0 | 1 | 2 = 0; ; shortened = shortened === 0 ? 1 : 2) {
      const messageId = shortened === 0 ? `message_${iteration}` : `message_${iteration}_short_${shortened}`;
      const asked = await model.ask({
        system,
        messages: this.#messages,
        tools: this.#toolSet,
        signal: options.signal,
        turnId: turn_id,
        messageId,
      });
      if (!('fault' in asked) || asked.fault.code !== 'context_overflow' || shortened === 2) return asked;
      const failed = await this.#compact(shortened === 0 ? 1 : 2, turn_id);
      if (failed === 'nothing') return asked;
      if (failed !== undefined) return failed;
    }
  }

  async #compactIfNearlyFull({ turn_id }: Turn): Promise<void> {
    const { model, options } = this.#set;
    if (model.lastInput < smallRequest && options.contextWindow === undefined) return;
    const window = options.contextWindow ?? (await (await import('./models/context-window.ts')).contextWindowOf(model.id));
    // If this does not help, the provider will say so and the turn deals with it.
    if (window !== undefined && model.lastInput > window * fullness) await this.#compact(1, turn_id);
  }

  /** Replaces the older part of the conversation by the model's own summary of it. */
  async #compact(level: 1 | 2, turnId: string): Promise<Asked | 'nothing' | undefined> {
    const { model, options, emit } = this.#set;
    const plan = planCompaction(this.#messages, this.#promptAt, level);
    if (plan === undefined) return 'nothing';
    const asked = await model.ask(
      {
        system: summarySystem,
        messages: [{ role: 'user', content: plan.transcript }],
        tools: {},
        signal: options.signal,
        turnId,
        messageId: `summary_${turnId}_${level}`,
      },
      () => {},
    );
    if (!('answer' in asked)) return asked;
    const { text } = asked.answer;
    if (text.trim() === '') return 'nothing';
    this.#messages = [promptWithSummary(options.prompt, text), ...plan.kept];
    this.#promptAt = 0;
    emit({
      type: 'log',
      stream: 'agent',
      level: 'info',
      text: `the conversation was too long: ${plan.olderCount} messages became a summary of ${text.length} characters`,
    });
    return undefined;
  }

  async #save(): Promise<void> {
    const { options, sessionId, emit } = this.#set;
    try {
      await saveSession({ id: sessionId, model: options.model, messages: this.#messages }, options.env, options.redact);
    } catch (error) {
      if (this.#cannotSave) return;
      this.#cannotSave = true;
      const why = error instanceof Error ? error.message : String(error);
      emit({ type: 'log', stream: 'agent', level: 'warning', text: `the session cannot be saved, so it cannot be resumed: ${why}` });
    }
  }
}
