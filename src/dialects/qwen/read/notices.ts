import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { codeOfStatus } from '../../../outcome/faults.ts';
import { asText, filled, integer } from '../../../json/read.ts';

/** A `system` line of the agent; false if its subtype is not known. */
export function readNotice(wire: JsonObject, data: JsonObject, sink: DecoderSink): boolean {
  const log = (level: 'info' | 'warning' | 'error', text: string): true => {
    sink.emit({ type: 'log', stream: 'agent', level, text });
    return true;
  };
  switch (wire.subtype) {
    case 'init':
    case 'session_start': {
      const version = filled(wire.qwen_code_version) ?? filled(data.version);
      sink.emit({
        type: 'thread.started',
        agent: 'qwen',
        ...present({
          agent_version: version === 'unknown' ? undefined : version,
          model: filled(wire.model),
          session_id: filled(wire.session_id),
          cwd: filled(wire.cwd) ?? filled(data.cwd),
        }),
      });
      return true;
    }
    case 'session_end':
      return true;
    case 'model_fallback': {
      const code = codeOfStatus(integer(data.statusCode));
      const cause = `fallback from ${asText(data.fromModel)} to ${asText(data.toModel)}`;
      sink.emit({ type: 'retry.scheduled', cause, ...present({ code }) });
      return true;
    }
    case 'task_started':
      return log('info', `task started: ${asText(data.description)}`);
    case 'task_notification': {
      const status = asText(data.status);
      return log(status === 'completed' ? 'info' : 'warning', `task ${asText(data.task_id)}: ${status}`);
    }
    case 'session_recording_degraded':
      return log('warning', filled(data.message) ?? asText(data.reason));
    case 'continue_turn_failed':
      return log('error', `the turn could not be continued: ${asText(data.error)}`);
    case 'worktree_restored':
      return log('info', `worktree ${asText(data.path)} on ${asText(data.branch)}`);
    case 'ui_log':
      return log('info', asText(data.text));
    default: {
      // Notices of all kinds differ only in their subtype.
      const notice = filled(data.notice);
      return notice === undefined ? false : log('info', notice);
    }
  }
}
