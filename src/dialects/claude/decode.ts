import type { Decoder, DecoderSink, JsonObject } from '../dialect.ts';
import { asText, compact, filled, list, object, string, time } from '../read.ts';
import { claimOf } from './claim.ts';
import { conversation } from './conversation.ts';
import { authNotice, notice, rateLimit, resetNotice, startupWarnings, unannouncedFailure } from './notices.ts';
import { runTotals } from './totals.ts';
import { isTranscript, transcriptDecoder } from './transcript.ts';

const startupFaults: readonly (readonly [RegExp, 'input' | 'config'])[] = [
  [/requires --verbose|Input must be provided|No conversation found|Session ID .* already in use|unknown option/i, 'input'],
  [/invalid mcp config|settings? (?:file|json)|claude code is not|nested/i, 'config'],
];

export function decoder(sink: DecoderSink): Decoder {
  const talk = conversation(sink);
  const totals = runTotals();
  const transcript = transcriptDecoder(sink, talk);
  const failedTasks = new Map<string, string>();
  const asked = new Set<string>();
  let started = false;
  let results = 0;
  let claimedGood = false;
  let rejected = false;
  let initModel: string | undefined;

  /** Old or cut streams have no `init`: whichever line comes first names the session. */
  function announce(wire: JsonObject): void {
    if (started) return;
    started = true;
    sink.emit({ type: 'thread.started', agent: 'claude', ...compact({ session_id: filled(wire.session_id) }) });
  }

  function init(wire: JsonObject): void {
    initModel = filled(wire.model) ?? initModel;
    talk.facts().active = true;
    if (started) return;
    started = true;
    sink.emit({
      type: 'thread.started',
      agent: 'claude',
      ...compact({
        agent_version: filled(wire.claude_code_version),
        model: initModel,
        session_id: filled(wire.session_id),
        cwd: filled(wire.cwd),
      }),
    });
    for (const each of startupWarnings(wire)) sink.emit(each);
  }

  function system(wire: JsonObject): void {
    switch (wire.subtype) {
      case 'init':
        return init(wire);
      case 'permission_denied':
        return refuse(wire.tool_use_id, wire.tool_name, filled(wire.message), filled(wire.decision_reason_type));
      case 'task_updated': {
        const { status, error } = object(wire.patch);
        if ((status === 'failed' || status === 'killed') && failedTasks.size < 1000)
          failedTasks.set(asText(wire.task_id), filled(error) ?? status);
        return;
      }
      case 'task_notification':
        failedTasks.delete(asText(wire.task_id));
        talk.forget(asText(wire.tool_use_id));
        break;
      case 'model_refusal_fallback':
      case 'model_fallback':
        talk.facts().refused = false;
        break;
      case 'informational':
        if (wire.prevent_continuation === true) talk.facts().stopped = true;
        break;
      case 'model_refusal_no_fallback':
        talk.facts().refused = true;
        announce(wire);
    }
    const drafts = notice(wire);
    if (drafts === undefined) return sink.unknown(wire);
    for (const each of drafts) sink.emit(each);
  }

  function refuse(id: JsonObject[string] | undefined, tool: JsonObject[string] | undefined, title?: string, reason?: string): void {
    const item = filled(id);
    const permission = item ?? `denied_${asText(tool)}`;
    if (item !== undefined) talk.deny(item);
    if (!asked.delete(permission)) ask(permission, item, asText(tool), title);
    sink.emit({
      type: 'permission.resolved',
      permission_id: permission,
      decision: 'denied',
      by: 'rule',
      ...compact({ item_id: item, raw_decision: reason }),
    });
  }

  function ask(permission: string, item: string | undefined, what: string, title: string | undefined): void {
    sink.emit({ type: 'permission.requested', permission_id: permission, what, ...compact({ item_id: item, title }) });
  }

  function control(wire: JsonObject): void {
    const request = object(wire.request);
    if (request.subtype !== 'can_use_tool') return;
    announce(wire);
    const item = filled(request.tool_use_id);
    const id = item ?? filled(wire.request_id) ?? 'request';
    if (asked.size < 1000) asked.add(id);
    ask(id, item, asText(request.tool_name), filled(request.title));
  }

  function result(wire: JsonObject): void {
    results += 1;
    for (const each of list(wire.permission_denials)) {
      const { tool_use_id, tool_name } = object(each);
      if (!talk.isDenied(asText(tool_use_id))) refuse(tool_use_id, tool_name);
    }
    const facts = talk.facts();
    const text = facts.fault === undefined ? answerOf(wire) : undefined;
    const stop = string(wire.stop_reason);
    if (text !== undefined && (facts.lastText === undefined || (isStructured(wire) && text !== facts.lastText))) {
      talk.speak(`result_${results}`, text);
    }
    talk.closeTurn(stop);
    for (const each of totals.report(wire, talk.mainModel() ?? initModel, talk.subAgentUsage())) sink.emit(each);
    const claim = claimOf(wire, facts, rejected);
    claimedGood = claim.some((each) => each.type === 'agent.finished' && each.status === 'ok');
    for (const each of claim) sink.emit(each);
    talk.nextTurn();
  }

  function line(wire: JsonObject): void {
    if (typeof wire.timestamp === 'string') {
      const at = time(wire.timestamp);
      if (at !== undefined) sink.at(at);
    }
    if (!started && isTranscript(wire)) return transcript.line(wire);
    switch (wire.type) {
      case 'stream_event':
        announce(wire);
        return talk.stream(wire);
      case 'assistant':
        announce(wire);
        return talk.assistant(wire);
      case 'user':
        announce(wire);
        return talk.user(wire);
      case 'system':
        return system(wire);
      case 'result':
        announce(wire);
        return result(wire);
      case 'rate_limit_event':
        rejected = object(wire.rate_limit_info).status === 'rejected';
        return sink.emit(rateLimit(object(wire.rate_limit_info)));
      case 'auth_status':
        for (const each of authNotice(wire)) sink.emit(each);
        return;
      case 'conversation_reset':
        totals.restart();
        return sink.emit(resetNotice(wire));
      case 'control_request':
        return control(wire);
      case 'tool_progress':
      case 'tool_use_summary':
      case 'prompt_suggestion':
      case 'active_goal':
      case 'control_response':
      case 'control_cancel_request':
      case 'keep_alive':
      case 'command_lifecycle':
      case 'vcs_state_changed':
      case 'transcript_mirror':
        return;
      default:
        return sink.unknown(wire);
    }
  }

  /** A refusal to start is told on stderr alone. */
  function stderr(text: string): boolean {
    if (started) return false;
    const code = startupFaults.find(([wording]) => wording.test(text))?.[1];
    if (code === undefined) return false;
    sink.emit({ type: 'error', scope: 'process', code, message: text, fatal: true });
    return true;
  }

  function end(): void {
    transcript.end();
    for (const [task, error] of failedTasks) sink.emit(unannouncedFailure(task, error));
    // Every turn ends with a result of its own: the one before says nothing of a turn that was cut.
    if (claimedGood && talk.facts().active)
      sink.emit({ type: 'log', stream: 'agent', cause: 'cut', text: 'the stream stops inside a turn' });
  }

  return { line, stderr, end };
}

/** The last words as the result line repeats them; in error results they are not the model's. */
function answerOf(wire: JsonObject): string | undefined {
  if (wire.subtype !== 'success' || wire.is_error === true) return undefined;
  return filled(wire.result) ?? (isStructured(wire) ? asText(wire.structured_output) : undefined);
}

function isStructured(wire: JsonObject): boolean {
  return wire.structured_output !== undefined && wire.structured_output !== null;
}
