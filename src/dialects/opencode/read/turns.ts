import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { filled, object, string, time } from '../../../json/read.ts';
import { readFault, readFinish } from '../../shared/opencode/read/ending.ts';
import { tellTime } from '../../kit/time.ts';
import { readUsage } from '../../shared/opencode/read/usage.ts';
import type { Edits } from './edits.ts';
import type { Ending } from './ending.ts';
import { type Lane, modelOf } from './lane.ts';
import type { Recent } from '../../kit/recent.ts';
import type { Sessions } from './sessions.ts';
import type { Texts } from './texts.ts';
import { reportMessage, reportStep } from './usage.ts';

/** What begins and ends with a turn. */
interface Around {
  sessions: Sessions;
  texts: Texts;
  edits: Edits;
  ending: Ending;
  /** Parts that have ended. */
  done: Recent<true>;
}

/** Assistant messages and the steps in them → turns. A version reports the one, the other, or both. */
export class Turns {
  readonly #sink: DecoderSink;
  readonly #around: Around;

  constructor(sink: DecoderSink, around: Around) {
    this.#sink = sink;
    this.#around = around;
  }

  /** `message.updated` for an assistant message. */
  update(lane: Lane, id: string, info: JsonObject): void {
    const { completed } = object(info.time);
    const finish = filled(info.finish);
    const failed = info.error !== undefined && info.error !== null;
    const counted = readUsage(object(info.tokens), info.cost, this.#around.sessions.habit) !== undefined;
    const begins =
      lane.message !== id || (typeof completed !== 'number' && finish === undefined && !failed && !counted);
    if (begins && lane.open && lane.done) this.end(lane);
    if (begins && !lane.open) {
      lane.message = undefined;
      this.#start(lane, info);
    }
    if (lane.message !== id) lane.startMessage(id);
    if (counted) {
      lane.tokens = object(info.tokens);
      lane.cost = info.cost;
    }
    if (finish !== undefined) {
      lane.finish = finish;
      if (finish === 'stop' && !failed && lane.isMain) this.#around.ending.recover();
    }
    if (typeof completed === 'number') {
      lane.completedAt = time(completed);
      lane.done = lane.open;
    }
    if (failed) this.#around.ending.raise(lane, readFault(info.error));
    if (!lane.open) this.#report(lane);
  }

  startStep(lane: Lane, message: string): void {
    const isSame = lane.open && lane.message === message;
    if (!isSame || lane.stepped) {
      if (lane.open) this.#around.texts.flush(lane.voice);
      if (lane.message !== message) lane.startMessage(message);
      else lane.attempt += 1;
      // The model is called again within the turn.
      if (isSame) this.#around.ending.startTurn();
      else this.#start(lane, {});
    }
    lane.stepped = true;
  }

  endStep(lane: Lane, part: JsonObject): void {
    const { texts, edits, sessions, done } = this.#around;
    const id = string(part.id) ?? '';
    if (id !== '' && done.has(id)) return;
    done.set(id, true);
    texts.flush(lane.voice);
    edits.settle([]);
    const counts = readUsage(object(part.tokens), part.cost, sessions.habit);
    if (counts !== undefined) reportStep(this.#sink, lane.model, counts);
    lane.reported = true;
    lane.finish = filled(part.reason);
    this.#close(lane);
  }

  end(lane: Lane): void {
    this.#around.texts.flush(lane.voice);
    this.#around.edits.settle([]);
    tellTime(this.#sink, lane.completedAt);
    this.#report(lane);
    this.#close(lane);
  }

  /** A complete message ends its turn as soon as something else happens. */
  settle(): void {
    const { main } = this.#around.sessions;
    if (main.open && main.done) this.end(main);
  }

  /** No more lines come. A turn that has not ended stays open. */
  endAll(): void {
    const { sessions, texts } = this.#around;
    this.settle();
    if (sessions.main.open) {
      texts.flush(sessions.main.voice);
      this.#report(sessions.main);
    }
    for (const lane of sessions.children) this.#report(lane);
  }

  #start(lane: Lane, info: JsonObject): void {
    tellTime(this.#sink, object(info.time).created);
    lane.startTurn(modelOf(info.providerID, info.modelID));
    if (!lane.isMain) return;
    this.#around.ending.startTurn();
    this.#around.edits.startTurn();
    this.#sink.emit({ type: 'turn.started', ...present({ model: lane.model }) });
  }

  #close(lane: Lane): void {
    lane.endTurn();
    if (lane.isMain) this.#sink.emit({ type: 'turn.completed', ...readFinish(lane.finish) });
  }

  #report(lane: Lane): void {
    reportMessage(this.#sink, lane, this.#around.sessions.habit);
  }
}
