import { present } from '../../../json/present.ts';
import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, count, filled, list, object, string, time, whole } from '../../../json/read.ts';
import { Conversation } from './conversation.ts';
import { hasMisspeltKey, isWithheld, readEnding } from './ending.ts';
import {
  authNotice,
  notice,
  rateLimit,
  resetNotice,
  startupWarnings,
  unannouncedFailure,
  unaskedNotice,
} from './notices.ts';
import { Permissions } from './permissions.ts';
import { Span } from './span.ts';
import { isTranscript, transcriptDecoder } from './session.ts';
import { readStderr } from './stderr.ts';
import { Tools } from './tools.ts';
import { isUnused, Usage } from './usage.ts';
import { codeOfTerminal } from '../words.ts';

/** An `init` line with another session id starts another run in the same stream; one session prints it again for every turn. */
export function decoder(sink: DecoderSink): Decoder {
  let run = oneRun(sink);
  let session: string | undefined;

  function line(wire: JsonObject): void {
    if (wire.type === 'system' && wire.subtype === 'init') {
      const introduced = filled(wire.session_id);
      if (session !== undefined && introduced !== undefined && introduced !== session) {
        run.end();
        run = oneRun(sink);
      }
      session = introduced ?? session;
    }
    run.line(wire);
  }

  return {
    line,
    resume: (total) => run.resume(total),
    stderr: (text) => run.stderr(text),
    isCut: () => run.isCut(),
    complete: (wire) => run.complete(wire),
    end: () => run.end(),
  };
}

function oneRun(sink: DecoderSink): Required<Omit<Decoder, 'text'>> {
  const permissions = new Permissions(sink);
  const tools = new Tools(sink, permissions);
  const talk = new Conversation(sink, tools);
  const usage = new Usage();
  const transcript = transcriptDecoder(sink, talk, tools);
  const failedTasks = new Map<string, string>();
  const span = new Span();
  let started = false;
  let results = 0;
  let claimedGood = false;
  let rejected = false;
  let initModel: string | undefined;
  let isIntroduced = false;

  function line(wire: JsonObject): void {
    if (typeof wire.timestamp === 'string') {
      const at = time(wire.timestamp);
      if (at !== undefined) {
        sink.at(at);
        span.see(at);
      }
    }
    if (!started && (transcript.isStarted || isTranscript(wire))) return transcript.line(wire);
    switch (wire.type) {
      case 'stream_event':
        announce(wire);
        tools.settle(false);
        return talk.stream(wire);
      case 'assistant':
        announce(wire);
        tools.settle(false);
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
        usage.reset();
        return sink.emit(resetNotice(wire));
      case 'control_request':
        if (object(wire.request).subtype !== 'can_use_tool') return;
        announce(wire);
        return permissions.request(wire);
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

  function system(wire: JsonObject): void {
    if (wire.prevent_continuation === true) talk.facts.stopped = true;
    switch (wire.subtype) {
      case 'init':
        return init(wire);
      case 'permission_denied':
        return permissions.refuse(wire, filled(wire.message), filled(wire.decision_reason_type));
      case 'task_updated': {
        const { status, error } = object(wire.patch);
        if ((status === 'failed' || status === 'killed') && failedTasks.size < 1000)
          failedTasks.set(asText(wire.task_id), filled(error) ?? status);
        return;
      }
      case 'task_notification':
        failedTasks.delete(asText(wire.task_id));
        talk.forget(asText(wire.tool_use_id));
        if (wire.status === 'stopped') tools.stop(asText(wire.tool_use_id));
        break;
      case 'model_refusal_fallback':
      case 'model_fallback':
        talk.facts.refused = false;
        break;
      case 'model_refusal_no_fallback':
        talk.facts.refused = true;
        announce(wire);
    }
    const drafts = notice(wire);
    if (drafts === undefined) return sink.unknown(wire);
    for (const each of drafts) sink.emit(each);
  }

  function init(wire: JsonObject): void {
    initModel = filled(wire.model) ?? initModel;
    isIntroduced = true;
    talk.facts.active = true;
    if (started) return;
    started = true;
    sink.emit({
      type: 'thread.started',
      agent: 'claude',
      ...present({
        agent_version: filled(wire.claude_code_version),
        model: initModel,
        session_id: filled(wire.session_id),
        cwd: filled(wire.cwd),
      }),
    });
    for (const each of startupWarnings(wire)) sink.emit(each);
  }

  /** Old or truncated streams have no `init`: whichever line comes first names the session. */
  function announce(wire: JsonObject): void {
    if (started) return;
    started = true;
    sink.emit({ type: 'thread.started', agent: 'claude', ...present({ session_id: filled(wire.session_id) }) });
  }

  function result(wire: JsonObject): void {
    results += 1;
    tools.settle(codeOfTerminal(filled(wire.terminal_reason)) === 'cancelled');
    permissions.refuseAll(list(wire.permission_denials));
    permissions.refuseCounted(isWithheld(wire) ? (whole(wire.permission_denials_count) ?? 0) : 0);
    const { facts } = talk;
    const isAlone = talk.turns === 0 && (!isIntroduced || isWithheld(wire));
    const text = facts.fault === undefined ? answerOf(wire) : undefined;
    if (text !== undefined && (facts.lastText === undefined || (isStructured(wire) && text !== facts.lastText))) {
      talk.speak(`result_${results}`, text);
    }
    talk.closeTurn(string(wire.stop_reason));
    for (const each of usage.read(wire, talk.mainModel ?? initModel, talk.subAgentUsage)) sink.emit(each);
    const ending = readEnding(wire, facts, { duration: span.add(count(wire.duration_ms)), rejected, isAlone });
    if (
      !facts.hasCalledModel &&
      ending.length === 1 &&
      ending[0]?.type === 'agent.finished' &&
      ending[0].status === 'ok' &&
      isUnused(wire)
    )
      sink.emit(unaskedNotice);
    claimedGood = ending.some((each) => each.type === 'agent.finished' && each.status === 'ok');
    for (const each of ending) sink.emit(each);
    if (hasMisspeltKey(wire))
      sink.emit({ type: 'log', stream: 'agent', cause: 'broken', text: 'the result has a key that is misspelt' });
    talk.startAnew();
  }

  function end(): void {
    transcript.end();
    tools.settle(talk.facts.interrupted);
    for (const [task, error] of failedTasks) sink.emit(unannouncedFailure(task, error));
    // Every turn ends with its own result: an earlier result says nothing about a turn that was cut off.
    if (started && talk.facts.interrupted && talk.facts.active)
      sink.emit({ type: 'agent.finished', status: 'cancelled' });
    else if (claimedGood && talk.facts.active)
      sink.emit({ type: 'log', stream: 'agent', cause: 'cut', text: 'the stream stops inside a turn' });
  }

  return {
    line,
    resume: (total) => usage.resume(total),
    stderr: (text) => !started && readStderr(text, sink),
    isCut: () => started && talk.facts.active,
    complete: (wire) => talk.complete(wire),
    end,
  };
}

/** The final text as the result line repeats it; in error results it is not the model's. */
function answerOf(wire: JsonObject): string | undefined {
  if (wire.subtype !== 'success' || wire.is_error === true) return undefined;
  return filled(wire.result) ?? (isStructured(wire) ? asText(wire.structured_output) : undefined);
}

function isStructured(wire: JsonObject): boolean {
  return wire.structured_output !== undefined && wire.structured_output !== null;
}
