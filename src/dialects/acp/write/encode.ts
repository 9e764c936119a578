import type { EventOf, EventRecord } from '../../../events/event.ts';
import { version } from '../../../version.ts';
import { present } from '../../../json/present.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { Claims } from '../../kit/claims.ts';
import { isObject } from '../../../json/read.ts';
import { ownMeta } from '../words.ts';
import { writeEnding } from './ending.ts';
import { Updates } from './updates.ts';

const ids = { initialize: 0, session: 1, prompt: 2 };

/** A whole dialogue: one session, one prompt, and its result. The variant `agent` leaves out the client's messages. */
export function encoder(sink: EncoderSink, variant: string): Encoder {
  const isDialogue = variant !== 'agent';
  const claims = new Claims('acp');
  let sessionId = '';
  let isPrompted = false;
  const updates = new Updates({ update: say, lose: (what) => sink.lose(what) });

  const write = (message: JsonObject): void => sink.line({ jsonrpc: '2.0', ...message });

  function say(update: JsonObject): void {
    write({ method: 'session/update', params: { sessionId, update } });
  }

  function client(id: number, method: string, params: JsonObject): void {
    if (isDialogue) write({ id, method, params });
  }

  function begin({ type: _type, ...record }: EventOf<'thread.started'> & EventRecord): void {
    const {
      sequence: _sequence,
      timestamp: _time,
      thread_id,
      source: _source,
      synthetic: _synthetic,
      ...thread
    } = record;
    sessionId = thread.session_id ?? thread_id;
    isPrompted = false;
    client(ids.initialize, 'initialize', { protocolVersion: 1, clientInfo: { name: 'runwire', version } });
    const agentInfo = { name: thread.agent ?? 'unknown', version: thread.agent_version ?? '' };
    write({ id: ids.initialize, result: { protocolVersion: 1, agentCapabilities: {}, agentInfo } });
    client(ids.session, 'session/new', { cwd: thread.cwd ?? '/', mcpServers: [] });
    write({ id: ids.session, result: { sessionId, _meta: { [ownMeta]: { thread: present(thread) } } } });
  }

  function prompt(submitted?: EventOf<'prompt.submitted'>): void {
    isPrompted = true;
    const content = submitted === undefined ? [] : [{ type: 'text', text: submitted.text }];
    const own = submitted === undefined ? {} : { submitted: present({ message_id: submitted.message_id }) };
    if (isDialogue)
      return client(ids.prompt, 'session/prompt', { sessionId, prompt: content, _meta: { [ownMeta]: own } });
    for (const each of content) say({ sessionUpdate: 'user_message_chunk', content: each });
  }

  return {
    record(event) {
      claims.see(event);
      if (event.type === 'thread.started') begin(event);
      else if (!isPrompted && event.type === 'prompt.submitted') return prompt(event);
      else if (!isPrompted) prompt();
      if (event.type !== 'line.unknown') return updates.record(event);
      if (event.dialect !== 'acp' || !isObject(event.wire)) return sink.lose('unknown_line');
      sink.line(event.wire);
    },
    end(outcome) {
      const claim = claims.claimOf(outcome);
      const { verdict, error_details: details } = outcome;
      if (claim !== undefined)
        write({
          id: ids.prompt,
          ...writeEnding(claim, details?.message ?? verdict.evidence[0]?.detail ?? verdict.class),
        });
      if ((claim?.status === 'ok') !== (verdict.class === 'success')) sink.lose('verdict');
    },
  };
}
