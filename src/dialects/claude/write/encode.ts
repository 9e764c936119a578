import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import { Claims } from '../../kit/claims.ts';
import { lossOf } from '../../kit/losses.ts';
import { isObject } from '../../../json/read.ts';
import { interruption } from '../words.ts';
import { Conversation, opensBlock } from './conversation.ts';
import { Ending } from './ending.ts';
import { faultLine, firstLine, isOwnCause, noticeLine, rateLimitLine, refusalLine, retryLine } from './notices.ts';
import { Output } from './output.ts';
import { Permissions } from './permissions.ts';
import { Tools } from './tools.ts';
import { Usage } from './usage.ts';

export function encoder(sink: EncoderSink, variant: string): Encoder {
  return new ClaudeEncoder(sink, variant);
}

class ClaudeEncoder implements Encoder {
  readonly #output: Output;
  readonly #usage: Usage;
  readonly #talk: Conversation;
  readonly #ending: Ending;
  readonly #tools: Tools;
  readonly #permissions: Permissions;
  /** Whether the run is Claude Code's own, so that its raw values can be written as they are. */
  #isOwn = false;
  readonly #claims: Claims;
  #claim: EventOf<'agent.finished'> | undefined;

  constructor(sink: EncoderSink, variant: string) {
    this.#output = new Output(sink, variant);
    this.#claims = new Claims(this.#output.isResultAlone ? undefined : 'claude');
    this.#usage = new Usage((what) => sink.lose(what), this.#output.isResultAlone);
    this.#talk = new Conversation(this.#output, this.#usage);
    this.#ending = new Ending(this.#output, this.#usage);
    this.#tools = new Tools(this.#output, this.#talk, this.#ending);
    this.#permissions = new Permissions(this.#output, this.#tools, this.#ending);
  }

  record(event: EventRecord): void {
    this.#claims.see(event);
    const output = this.#output;
    output.time = event.timestamp;
    if (event.type === 'thread.completed') return;
    this.#settle(event);
    switch (event.type) {
      case 'thread.started':
        this.#isOwn = event.agent === 'claude';
        this.#talk.open(event);
        output.open(event.session_id ?? event.thread_id, firstLine(event));
        return event.task === undefined ? undefined : this.#prompt(event.task);
      case 'prompt.submitted':
        return this.#prompt(event.text);
      case 'turn.started':
        this.#talk.startTurn(event);
        return this.#ending.startTurn();
      case 'turn.completed':
        return this.#ending.endTurn(this.#talk.endTurn(event));
      case 'text.delta':
      case 'reasoning.delta':
        return output.isPartial ? this.#talk.messageOf(event).delta(event) : undefined;
      case 'reasoning.completed':
        if (output.isResultAlone) output.lose('reasoning');
        return event.text === '' ? undefined : this.#talk.messageOf(event).complete(event);
      case 'text.completed':
        if (event.text === '') return;
        if (event.parent_item_id === undefined) this.#ending.say(event);
        return this.#talk.messageOf(event).complete(event);
      case 'item.started':
        return this.#tools.start(event);
      case 'item.completed':
        if (output.isResultAlone) output.lose('tool_call');
        return this.#tools.end(event);
      case 'file.edited':
        if (output.isResultAlone) output.lose('file_edit');
        return this.#tools.edit(event);
      case 'permission.requested':
        return this.#permissions.ask(event);
      case 'permission.resolved':
        return this.#permissions.answer(event);
      case 'usage.reported':
        this.#usage.see(event);
        return this.#talk.see(event);
      case 'retry.scheduled':
        if (!isOwnCause(event.cause)) output.lose('retry');
        return output.line(retryLine(event));
      case 'rate_limit.reported':
        return output.line(rateLimitLine(event));
      case 'limit.reached':
        return this.#ending.reach(event);
      case 'log':
        return this.#log(event);
      case 'error':
        return this.#fault(event);
      case 'agent.finished':
        this.#claim = event;
        return;
      case 'process.ended':
        return output.lose('process');
      case 'line.unknown':
        return event.dialect === 'claude' && isObject(event.wire)
          ? output.pass(event.wire)
          : output.lose('unknown_line');
      default:
        return output.lose(lossOf[event.type]);
    }
  }

  end(outcome: RunOutcome): void {
    this.#settle(undefined);
    this.#finish(outcome);
    this.#output.end();
  }

  /** Writes the lines that waited for the next event; undefined: there is none. */
  #settle(next: EventRecord | undefined): void {
    this.#tools.settle(next);
    this.#permissions.settle(next);
    if (this.#claim !== undefined && next !== undefined && this.#endsClaim(next)) this.#finish(undefined);
    this.#talk.settle(next);
  }

  /** A result waits for what still belongs to it: another agent may report its tokens or a refusal after its last word. */
  #endsClaim(next: EventRecord): boolean {
    if (next.type === 'process.ended') return false;
    if (!this.#isOwn) return opensBlock(next) || next.type === 'turn.started' || next.type === 'prompt.submitted';
    return next.type !== 'log' || (next.stream === 'agent' && next.cause === undefined);
  }

  #finish(outcome: RunOutcome | undefined): void {
    const claim = outcome === undefined ? this.#claim : this.#claims.judged(this.#claim, outcome);
    this.#claim = undefined;
    const line = this.#ending.write(claim, this.#isOwn, outcome);
    if (line === undefined) return;
    if (claim?.status === 'cancelled' && line.terminal_reason === undefined) {
      const content = [{ type: 'text', text: `${interruption}]` }];
      this.#output.spoken(undefined, { type: 'user', message: { role: 'user', content } });
    }
    this.#output.line(line);
  }

  #prompt(text: string): void {
    if (this.#output.isResultAlone) return this.#output.lose('prompt');
    this.#output.spoken(undefined, { type: 'user', message: { role: 'user', content: text }, isReplay: true });
  }

  #log(event: EventOf<'log'>): void {
    if (event.stream !== 'agent') return this.#output.lose('log');
    const isWarning = event.level === 'warning' || event.level === 'error';
    if (event.cause === undefined) this.#output.line(noticeLine(isWarning ? 'warning' : 'info', event.text));
  }

  #fault(event: EventOf<'error'>): void {
    const ofSubAgent =
      !event.fatal && event.scope === 'provider' && event.name !== undefined && event.item_id !== undefined;
    if (!event.fatal && !ofSubAgent)
      return this.#output.line(noticeLine('warning', `${event.scope}: ${event.message}`));
    if (event.code === 'refused' && event.name === undefined)
      return this.#output.line(refusalLine(event, this.#talk.model));
    this.#output.spoken(ofSubAgent ? event.item_id : undefined, faultLine(event, `msg_error_${this.#output.lines}`));
  }
}
