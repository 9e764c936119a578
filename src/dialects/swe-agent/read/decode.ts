import { present } from '../../../present.ts';
import type { Decoder, DecoderSink, JsonObject } from '../../dialect.ts';
import { filled, list, object, string } from '../../read.ts';
import { isMini, isTrajectory } from '../detect.ts';
import { readEnding } from './ending.ts';
import { readMessages, readSteps } from './steps.ts';
import { readUsage } from './usage.ts';

/** One document is one run. */
export function decoder(sink: DecoderSink): Decoder {
  return {
    line(wire) {
      const mini = !isTrajectory(wire) && isMini(wire);
      if (!mini && !isTrajectory(wire)) return sink.unknown(wire);
      const info = object(wire.info);
      const model = modelOf(wire, info);
      const version = filled(info.mini_version) ?? filled(info.swe_agent_version);
      sink.emit({
        type: 'thread.started',
        agent: mini ? 'mini-swe-agent' : 'swe-agent',
        ...present({ agent_version: version, model, session_id: filled(wire.instance_id), task: mini ? undefined : taskOf(wire) }),
      });
      if (mini) readMessages(wire, sink);
      else readSteps(wire, sink);
      readUsage(info, model, sink);
      readEnding(info, sink);
    },
    end() {},
  };
}

function modelOf(wire: JsonObject, info: JsonObject): string | undefined {
  const config = object(object(info.config).model);
  return filled(config.model_name) ?? filled(wire.model_name);
}

/** The first message of the user, in the history of what was sent to the model. */
function taskOf(wire: JsonObject): string | undefined {
  const first = list(wire.history)
    .map(object)
    .find(({ role, is_demo }) => role === 'user' && is_demo !== true);
  return string(first?.content) ?? undefined;
}
