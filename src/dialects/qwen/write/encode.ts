import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import { lossOf } from '../../kit/losses.ts';
import { isObject } from '../../../json/read.ts';
import { foreignSubtype } from '../words.ts';
import { Conversation } from './conversation.ts';
import { Ending } from './ending.ts';
import { Output } from './output.ts';
import { Tools } from './tools.ts';

export function encoder(sink: EncoderSink, variant: string): Encoder {
  return new QwenEncoder(sink, variant);
}

class QwenEncoder implements Encoder {
  readonly #output: Output;
  readonly #talk: Conversation;
  readonly #ending: Ending;
  readonly #tools: Tools;
  /** Whether the agent never introduced itself: then its first line alone is not worth writing. */
  #isNameless = true;

  constructor(sink: EncoderSink, variant: string) {
    this.#output = new Output(sink, variant);
    this.#talk = new Conversation(this.#output);
    this.#ending = new Ending(this.#output);
    this.#tools = new Tools(this.#output, this.#talk, this.#ending);
  }

  record(event: EventRecord): void {
    this.#ending.see(event);
    switch (event.type) {
      case 'thread.started':
        if (event.task !== undefined) this.#output.lose('prompt');
        this.#isNameless = event.synthetic;
        return this.#output.start(event.session_id ?? event.thread_id, event);
      case 'prompt.submitted':
        return this.#prompt(event.text);
      case 'turn.started':
        return this.#talk.startTurn(event);
      case 'turn.completed':
        return this.#talk.endTurn(event.synthetic);
      case 'text.delta':
      case 'reasoning.delta':
        return this.#talk.delta(event);
      case 'text.completed':
      case 'reasoning.completed':
        return this.#talk.say(event);
      case 'item.started':
        return this.#tools.start(event);
      case 'item.output':
        if (!this.#talk.stream.isOpen && !this.#talk.canStream(event.synthetic))
          return this.#output.lose('tool_progress');
        return this.#tools.progress(event);
      case 'item.completed':
        return this.#tools.end(event);
      case 'file.edited':
        return this.#tools.edit(event);
      case 'usage.reported':
        return event.scope === 'step' ? this.#talk.see(event) : undefined;
      case 'retry.scheduled':
        return this.#retry(event);
      case 'permission.requested':
      case 'permission.resolved':
        return this.#permission(event);
      case 'error':
        return event.fatal ? this.#talk.fail(event) : this.#carry(event);
      case 'limit.reached':
        this.#ending.reach(event);
        return this.#carry(event);
      case 'log':
      case 'rate_limit.reported':
        return this.#carry(event);
      case 'run.paused':
      case 'run.resumed':
      case 'limit.changed':
      case 'children.reported':
      case 'model.requested':
      case 'model.responded':
      case 'wire.recorded':
      case 'network.refused':
      case 'expectation.checked':
      case 'branch.updated':
      case 'branch.published':
        return this.#output.lose(lossOf[event.type]);
      case 'agent.finished':
        return this.#talk.flush();
      case 'process.ended':
        return event.exit_code === 0 ? undefined : this.#output.lose('process');
      case 'line.unknown':
        this.#talk.flush();
        return event.dialect === 'qwen' && isObject(event.wire)
          ? this.#output.bare(event.wire)
          : this.#output.lose('unknown_line');
      case 'thread.completed':
        return;
      default:
        event satisfies never;
    }
  }

  end(outcome: RunOutcome): void {
    const isWorthOpening = !this.#output.isOpen && !this.#isNameless;
    if (this.#talk.isWaiting || this.#ending.isClaimed || isWorthOpening) this.#talk.stop();
    this.#ending.write(outcome, this.#talk.owesUsage);
  }

  #prompt(text: string): void {
    if (this.#talk.isInTurn) return this.#output.lose('prompt');
    this.#talk.flush();
    this.#output.line('user', { message: { role: 'user', content: text } });
  }

  #retry(event: EventOf<'retry.scheduled'>): void {
    this.#talk.flush();
    this.#talk.retry();
    this.#output.line('system', {
      subtype: 'retry',
      data: present({
        reason: event.cause,
        attempt: event.attempt,
        maxRetries: event.max_attempts,
        delayMs: event.delay_ms,
        discardedToolCalls: 0,
        preserveText: false,
      }),
    });
  }

  #permission(event: EventOf<'permission.requested' | 'permission.resolved'>): void {
    if (event.permission_id === event.item_id) {
      // The list of denials in the result reports it.
      if (event.type === 'permission.requested') this.#ending.deny(event.what, event.item_id, {});
      return;
    }
    this.#talk.flush();
    const request_id = event.permission_id;
    if (event.type === 'permission.resolved') {
      const response = { allowed: event.decision === 'allowed' };
      return this.#output.bare({ type: 'control_response', response: { subtype: 'success', request_id, response } });
    }
    const request = { subtype: 'can_use_tool', tool_name: event.what, tool_use_id: event.item_id ?? '', input: {} };
    this.#output.bare({ type: 'control_request', request_id, request });
  }

  /** An event for which this dialect has no line is written unchanged, in a line that its readers ignore. */
  #carry(event: EventRecord & { type: 'error' | 'limit.reached' | 'log' | 'rate_limit.reported' }): void {
    this.#talk.flush();
    const {
      sequence: _sequence,
      timestamp: _timestamp,
      thread_id: _thread,
      source: _source,
      synthetic: _synthetic,
      ...data
    } = event;
    this.#output.line('system', { subtype: foreignSubtype, data: present(data) });
  }
}
