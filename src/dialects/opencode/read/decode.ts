import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { filled, isObject, object, string } from '../../../json/read.ts';
import { runDecoder } from '../../shared/opencode/read/run.ts';
import { tellTime } from '../../kit/time.ts';
import { unwrap } from '../detect.ts';
import { Bus } from './bus.ts';
import { eventsOf, isExport } from './export.ts';
import { Sessions } from './sessions.ts';
import { Version2 } from './version-2.ts';

const shownOfText = 80;

/** Three kinds of lines: those of `opencode run`, those of its server's bus, and those of the version 2 bus. */
export function decoder(sink: DecoderSink): Decoder {
  const run = runDecoder(sink, 'opencode');
  let sessions = new Sessions(sink);
  let bus = new Bus(sink, sessions);
  let version2 = new Version2(sink, sessions);

  /** A new connection began, and the run's session has not appeared since. */
  let isReconnected = false;

  /** A session that no call started is another run if this run is idle or the stream has reconnected. */
  function beginAgain(): void {
    isReconnected = false;
    bus.end();
    sessions = new Sessions(sink);
    bus = new Bus(sink, sessions);
    version2 = new Version2(sink, sessions);
  }

  function line(wrapped: JsonObject): void {
    const wire = unwrap(wrapped);
    if (isExport(wire)) {
      for (const event of eventsOf(wire)) line({ ...event });
      return;
    }
    const type = string(wire.type) ?? '';
    const fields = object(wire.properties ?? wire.data);
    if (type === 'server.connected') isReconnected = sessions.isStarted;
    else if (type === 'session.created') {
      if ((isReconnected || bus.isIdle) && isOwn(fields)) beginAgain();
    } else if (isReconnected && sessions.isRoot(filled(fields.sessionID))) isReconnected = false;
    if (isObject(wire.properties)) {
      if (!bus.event(type, wire.properties)) sink.unknown(wire);
    } else if (isObject(wire.data) && type.includes('.')) {
      tellTime(sink, wire.created);
      if (!version2.event(type, wire.data) && !bus.event(type, wire.data)) sink.unknown(wire);
    } else run.line(wire);
  }

  return {
    line,
    stderr(text, wire) {
      if (wire === undefined || !isOurs(wire)) return run.stderr?.(text) ?? false;
      line(wire);
      return true;
    },
    text(text) {
      const shown = sink.quoteLine(text.trim(), shownOfText);
      sink.emit({
        type: 'log',
        stream: 'agent',
        level: 'warning',
        text: `skipped a line that is not a JSON object: ${shown}`,
      });
    },
    end() {
      bus.end();
      run.end();
    },
  };
}

function isOwn(properties: JsonObject): boolean {
  return filled(object(properties.info).parentID) === undefined;
}

function isOurs(wire: JsonObject): boolean {
  return (
    typeof wire.type === 'string' &&
    (isObject(wire.properties) || (typeof wire.sessionID === 'string' && isObject(wire.part)))
  );
}
