import type { Draft } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, count, filled, list, object, string } from '../../../json/read.ts';
import { Generations } from '../../kit/generations.ts';
import type { Tokens } from '../../kit/tokens.ts';
import { bookkeeping, synthetic } from '../words.ts';
import type { Conversation } from './conversation.ts';
import { StopReasons } from './stop-reasons.ts';
import { nonExecutionOf, type Tools } from './tools.ts';
import { readTotal } from './usage.ts';

const beside = new Set<string>(bookkeeping);
/** Text that the program adds in the user's name. */
const aside = /^\s*<(?:command-|local-command-|bash-|system-reminder|task-notification)/;

interface Transcript {
  line(wire: JsonObject): void;
  end(): void;
  readonly isStarted: boolean;
}

/** A line of a session file in `projects/`: the same content as in the stream, in a different envelope. */
export function isTranscript(wire: JsonObject): boolean {
  if (typeof wire.type !== 'string') return false;
  if (typeof wire.sessionId === 'string' && 'uuid' in wire && 'parentUuid' in wire) return true;
  return (
    !('session_id' in wire) &&
    beside.has(wire.type) &&
    wire.subtype === undefined &&
    ('sessionId' in wire || 'leafUuid' in wire || 'snapshot' in wire)
  );
}

/** How many lines are remembered, so that those of a parent session do not count twice when it is resumed. */
const rememberedLines = 50_000;

/** The session files of Claude Code. They have no result line: the run ended the way its last message ended. */
export function transcriptDecoder(sink: DecoderSink, talk: Conversation, tools: Tools): Transcript {
  let started = false;
  /** A sub-agent's file consists entirely of side chain lines. */
  let isSubAgent = false;
  let ended = false;
  /** The last message on the main thread is a text without a tool call. */
  let answered = false;
  const seen = new Generations<true>(rememberedLines);
  const reasons = new StopReasons();
  /** Claude Code's own total, written when it exits, and what the messages before it had used. */
  let total: { wire: JsonObject; used: Tokens } | undefined;

  function start(wire: JsonObject): void {
    if (started) return;
    started = true;
    isSubAgent = wire.isSidechain === true;
    tools.expectEarlyResults();
    const session = filled(wire.sessionId);
    sink.emit({
      type: 'thread.started',
      agent: 'claude',
      ...present({
        agent_version: filled(wire.version),
        session_id: isSubAgent ? filled(wire.agentId) : session,
        parent_session_id: isSubAgent ? session : undefined,
        cwd: filled(wire.cwd),
      }),
    });
  }

  function line(wire: JsonObject): void {
    const isAside = wire.isMeta === true || wire.isCompactSummary === true || wire.isVisibleInTranscriptOnly === true;
    // Sub-agents of older versions are in the same file, and nothing says which call started them.
    const uuid = string(wire.uuid);
    if (uuid !== undefined) {
      if (seen.get(uuid) === true) return;
      seen.set(uuid, true);
    }
    const parent_tool_use_id = wire.isSidechain === true && !isSubAgent && started ? 'sidechain' : null;
    switch (wire.type) {
      case 'assistant':
        start(wire);
        if (isPlaceholder(object(wire.message))) return;
        if (parent_tool_use_id === null) speak(list(object(wire.message).content));
        if (parent_tool_use_id === null) reasons.see(wire);
        return talk.assistant({ ...wire, parent_tool_use_id });
      case 'user': {
        if (isAside) return;
        start(wire);
        const { content } = object(wire.message);
        const text = typeof content === 'string' ? content : asText(object(list(content)[0]).text);
        if (aside.test(text)) return;
        if (parent_tool_use_id === null) begin();
        return talk.user({
          ...wire,
          parent_tool_use_id,
          tool_use_result: wire.toolUseResult ?? null,
          tool_result_meta: { non_execution_kind: nonExecutionOf(wire.toolDenialKind) ?? null },
        });
      }
      case 'system':
        // Written when a turn is over, by versions that do not say why a message stopped.
        if (wire.subtype === 'turn_duration' && count(wire.durationMs) !== undefined) ended = true;
        return;
      case 'cost-state':
        total = { wire, used: talk.used };
        return;
      default:
        if (!beside.has(asText(wire.type))) sink.unknown(wire);
    }
  }

  /** An earlier interruption or refusal no longer counts. */
  function begin(): void {
    ended = false;
    answered = false;
    talk.facts.interrupted = false;
    talk.facts.refused = false;
    talk.facts.stop = undefined;
  }

  function speak(content: readonly Json[]): void {
    const types = content.map((each) => string(object(each).type) ?? '');
    const calls = types.some((type) => type.endsWith('tool_use'));
    ended = false;
    talk.facts.interrupted = false;
    if (!calls) tools.endEarly();
    if (calls || types.includes('text')) answered = !calls;
  }

  function claim(): Draft | undefined {
    const { interrupted, fault, refused, stop, lastText } = talk.facts;
    if (interrupted) return { type: 'agent.finished', status: 'cancelled' };
    if (fault !== undefined) return { type: 'agent.finished', status: 'failed', code: fault };
    if (refused) return { type: 'agent.finished', status: 'failed', code: 'refused' };
    const isTold =
      stop === 'end_turn' || stop === 'stop_sequence' || (ended && stop === undefined && lastText !== undefined);
    const isDone = isTold || (stop === undefined && answered && !reasons.areTold);
    if (isDone && !isTold) sink.note('guessed', 'the last message tells no reason to stop: taken for the answer');
    return isDone ? { type: 'agent.finished', status: 'ok', ...present({ raw_status: stop }) } : undefined;
  }

  return {
    line,
    get isStarted() {
      return started;
    },
    end() {
      if (!started) return;
      tools.endEarly();
      talk.closeTurn();
      // Messages after it are not part of it.
      if (total !== undefined && total.used === talk.used)
        for (const each of readTotal(total.wire, total.used, talk.mainModel)) sink.emit(each);
      const last = claim();
      if (last !== undefined) sink.emit(last);
    },
  };
}

/** What the program writes in place of a model's answer when a session is resumed without a prompt. */
function isPlaceholder({ model, content }: JsonObject): boolean {
  return model === synthetic && object(list(content)[0]).text === 'No response requested.';
}
