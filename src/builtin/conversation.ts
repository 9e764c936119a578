import type { ModelMessage } from 'ai';
import type { Draft } from '../events/event.ts';
import type { AgentOptions } from './agent.ts';
import { planCompaction, promptWithSummary, summarySystem } from './compaction.ts';
import type { Turn } from './loop.ts';
import type { Reply } from './models/call.ts';
import type { PatientModel } from './models/patient-model.ts';
import type { ToolCalls } from './tools/calls.ts';

interface ConversationOptions {
  options: AgentOptions;
  model: PatientModel;
  system: string;
  tools: ToolCalls;
  earlier: readonly ModelMessage[];
  emit(draft: Draft): void;
}

/** Below this, no known context window is nearly full, so the table of windows need not be loaded. */
const smallRequest = 24_000;
/** How full a context window may be before the next request is shortened. */
const fullness = 0.85;

/** The messages so far, and the model that answers them. Older messages become a summary when they no longer fit. */
export class Conversation {
  readonly #set: ConversationOptions;
  #messages: ModelMessage[];
  /** The position of this run's prompt. */
  #promptAt: number;

  constructor(set: ConversationOptions) {
    this.#set = set;
    this.#messages = [...set.earlier, { role: 'user', content: set.options.prompt }];
    this.#promptAt = set.earlier.length;
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  add(...messages: readonly ModelMessage[]): void {
    this.#messages.push(...messages);
  }

  /** Adds only the text of an answer whose calls cannot be kept: a call without a result would make the conversation invalid. */
  addWords(text: string): void {
    if (text.trim() !== '') this.#messages.push({ role: 'assistant', content: text });
  }

  /** Asks the model; when the conversation is too long for it, shortens it and asks again, at most twice. */
  async ask({ turn_id, iteration }: Turn): Promise<Reply> {
    const { model, system, tools, options } = this.#set;
    await this.#shortenIfNearlyFull(turn_id);
    for (let shortened: 0 | 1 | 2 = 0; ; shortened = shortened === 0 ? 1 : 2) {
      const messageId = shortened === 0 ? `message_${iteration}` : `message_${iteration}_short_${shortened}`;
      const reply = await model.answer({
        system,
        messages: this.#messages,
        tools: tools.toolSet,
        signal: options.signal,
        calls: options.calls ?? options.signal,
        turnId: turn_id,
        messageId,
      });
      if (!('fault' in reply) || reply.fault.code !== 'context_overflow' || shortened === 2) return reply;
      const failed = await this.#shorten(shortened === 0 ? 1 : 2, turn_id);
      if (failed === 'nothing to leave out') return reply;
      if (failed !== undefined) return failed;
    }
  }

  async #shortenIfNearlyFull(turnId: string): Promise<void> {
    const { model, options } = this.#set;
    if (model.lastInput < smallRequest && options.contextWindow === undefined) return;
    const window =
      options.contextWindow ?? (await (await import('./models/context-window.ts')).contextWindowOf(model.id));
    // If this does not help, the provider will report an overflow, and the turn handles it.
    if (window !== undefined && model.lastInput > window * fullness) await this.#shorten(1, turnId);
  }

  /** Replaces the older part of the conversation by the model's own summary of it. */
  async #shorten(level: 1 | 2, turnId: string): Promise<Reply | 'nothing to leave out' | undefined> {
    const { model, options, emit } = this.#set;
    const plan = planCompaction(this.#messages, this.#promptAt, level);
    if (plan === undefined) return 'nothing to leave out';
    const reply = await model.answer(
      {
        system: summarySystem,
        messages: [{ role: 'user', content: plan.transcript }],
        tools: {},
        signal: options.signal,
        calls: options.calls ?? options.signal,
        turnId,
        messageId: `summary_${turnId}_${level}`,
      },
      () => {},
    );
    if (!('answer' in reply)) return reply;
    const { text } = reply.answer;
    if (text.trim() === '') return 'nothing to leave out';
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
}
