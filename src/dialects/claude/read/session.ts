import type { Draft } from '../../../events/event.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, compact, count, filled, list, object } from '../../read.ts';
import type { Conversation } from './conversation.ts';

/** Records beside the conversation: titles, snapshots, hooks, what the program shows. */
const bookkeeping = new Set(
  'summary system attachment progress queue-operation file-history-snapshot custom-title ai-title agent-name tag mode last-prompt pr-link permission-mode worktree-state'.split(
    ' ',
  ),
);
/** What the program says in the user's name. */
const aside = /^\s*<(?:command-|local-command-|bash-|system-reminder|task-notification)/;

/** A line of a session file in `projects/`: the words of the stream, with an envelope of its own. */
export function isTranscript(wire: JsonObject): boolean {
  if (typeof wire.type !== 'string' || 'session_id' in wire) return false;
  if (typeof wire.sessionId === 'string' && 'uuid' in wire && 'parentUuid' in wire) return true;
  return bookkeeping.has(wire.type) && wire.subtype === undefined && ('sessionId' in wire || 'leafUuid' in wire || 'snapshot' in wire);
}

/** The session files of Claude Code. They have no result line: how it ended is how its last message ended. */
export function transcriptDecoder(sink: DecoderSink, talk: Conversation): { line(wire: JsonObject): void; end(): void } {
  let started = false;
  /** A file of a sub-agent is all side chain. */
  let isSubAgent = false;
  let ended = false;

  function start(wire: JsonObject): void {
    if (started) return;
    started = true;
    isSubAgent = wire.isSidechain === true;
    const session = filled(wire.sessionId);
    sink.emit({
      type: 'thread.started',
      agent: 'claude',
      ...compact({
        agent_version: filled(wire.version),
        session_id: isSubAgent ? filled(wire.agentId) : session,
        parent_session_id: isSubAgent ? session : undefined,
        cwd: filled(wire.cwd),
      }),
    });
  }

  function line(wire: JsonObject): void {
    const isAside = wire.isMeta === true || wire.isCompactSummary === true || wire.isVisibleInTranscriptOnly === true;
    // Sub-agents of older versions are in the same file, and nothing says which call they work for.
    const parent_tool_use_id = wire.isSidechain === true && !isSubAgent && started ? 'sidechain' : null;
    switch (wire.type) {
      case 'assistant':
        start(wire);
        ended = false;
        return talk.assistant({ ...wire, parent_tool_use_id });
      case 'user': {
        if (isAside) return;
        start(wire);
        const { content } = object(wire.message);
        const text = typeof content === 'string' ? content : asText(object(list(content)[0]).text);
        if (aside.test(text)) return;
        ended = false;
        return talk.user({ ...wire, parent_tool_use_id, tool_use_result: wire.toolUseResult ?? null });
      }
      case 'system':
        // Written when a turn is over, by versions that do not tell why a message stopped.
        if (wire.subtype === 'turn_duration' && count(wire.durationMs) !== undefined) ended = true;
        return;
      default:
        if (!bookkeeping.has(asText(wire.type))) sink.unknown(wire);
    }
  }

  function claim(): Draft | undefined {
    const { interrupted, fault, refused, stop, lastText } = talk.facts;
    if (interrupted) return { type: 'agent.finished', status: 'cancelled' };
    if (fault !== undefined) return { type: 'agent.finished', status: 'failed', code: fault };
    if (refused) return { type: 'agent.finished', status: 'failed', code: 'refused' };
    const isDone = stop === 'end_turn' || stop === 'stop_sequence' || (ended && stop === undefined && lastText !== undefined);
    return isDone ? { type: 'agent.finished', status: 'ok', ...compact({ raw_status: stop }) } : undefined;
  }

  return {
    line,
    end() {
      if (!started) return;
      talk.closeTurn();
      const last = claim();
      if (last !== undefined) sink.emit(last);
    },
  };
}
