import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import { lossOf } from '../../kit/losses.ts';
import { isObject } from '../../../json/read.ts';
import { writeEdit } from './edits.ts';
import { Ending, finishWord } from './ending.ts';
import { Lane } from './lane.ts';
import { answerPermission, askPermission } from './permissions.ts';
import { Prompts } from './prompts.ts';
import { Session } from './session.ts';
import { Texts } from './texts.ts';
import { Tools } from './tools.ts';
import { Usage } from './usage.ts';

/** Records that say nothing about the order of the run. */
const besides = new Set([
  'process.ended',
  'thread.completed',
  'log',
  'usage.reported',
  'rate_limit.reported',
  'branch.updated',
  'branch.published',
  'children.reported',
  'expectation.checked',
  'run.paused',
  'run.resumed',
  'limit.changed',
]);

/** The events of the bus, as documented for `opencode run --format json`. */
export function encoder(sink: EncoderSink): Encoder {
  const session = new Session(sink);
  const main = new Lane(session);
  const prompts = new Prompts(session, main);
  const tools = new Tools(session, main);
  const texts = new Texts(session, tools);
  const ending = new Ending(session, main);
  const usage = new Usage();
  /** The end of a turn that only repair ended: the turn is left open if nothing follows. */
  let heldEnd: EventOf<'turn.completed'> | undefined;

  function endTurn(event: EventOf<'turn.completed'>): void {
    heldEnd = undefined;
    main.endTurn(finishWord(event), usage.take());
  }

  function record(event: EventRecord): void {
    ending.see(event);
    if (event.timestamp !== null) session.now = Date.parse(event.timestamp);
    const isBeside = besides.has(event.type);
    if (!isBeside) {
      ending.before(event);
      if (heldEnd !== undefined && event.type !== 'agent.finished') endTurn(heldEnd);
    }
    switch (event.type) {
      case 'thread.started':
        session.start(event);
        if (event.task !== undefined) prompts.submit(event.task);
        return;
      case 'prompt.submitted':
        return prompts.submit(event.text, event);
      case 'turn.started':
        main.startTurn(event.turn_id);
        session.model = event.model ?? session.model;
        return ending.startTurn();
      case 'text.delta':
      case 'text.completed':
      case 'reasoning.delta':
      case 'reasoning.completed':
        return texts.write(event);
    }
    if (!isBeside && event.type !== 'turn.completed') main.nameTurn();
    switch (event.type) {
      case 'item.started':
        prompts.called(event);
        return tools.start(event);
      case 'item.output':
        return tools.progress(event);
      case 'item.completed':
        if (tools.end(event, event.synthetic)) ending.deny();
        return;
      case 'usage.reported':
        session.model = event.model ?? session.model;
        return usage.see(event);
      case 'turn.completed':
        if (!event.synthetic || finishWord(event) !== undefined || !usage.isEmpty) endTurn(event);
        else heldEnd = event;
        return;
      case 'file.edited':
        session.count(event);
        prompts.edit(event);
        session.write('file.edited', writeEdit(event, session.thread));
        return tools.edit(event);
      case 'permission.requested':
        return askPermission(session, main, event);
      case 'permission.resolved':
        return answerPermission(session, event);
      case 'retry.scheduled':
        return session.status({
          type: 'retry',
          attempt: event.attempt ?? 1,
          message: event.cause,
          next: session.now + (event.delay_ms ?? 0),
        });
      case 'limit.reached':
        sink.lose('limit');
        return ending.limit(event);
      case 'error':
        return event.fatal ? ending.raise(event) : sink.lose('error');
      case 'agent.finished':
        return ending.claim(event);
      case 'line.unknown':
        if (event.dialect !== 'opencode' || !isObject(event.wire)) return sink.lose('unknown_line');
        return session.repeat(event.wire);
      case 'thread.completed':
        return;
      default:
        return sink.lose(lossOf[event.type]);
    }
  }

  return {
    record,
    end(outcome) {
      main.nameTurn();
      const missing = usage.missing(outcome);
      if (missing === 'too much') sink.lose('usage');
      else if (missing !== undefined) main.addUsage(missing);
      prompts.sumUp();
      ending.write(outcome);
    },
  };
}
