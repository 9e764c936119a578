import type { Draft } from '../../../events/event.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Lane } from './lane.ts';

/** A sink that marks a run which ends well on a message without text: its answer is empty, whatever earlier messages said. */
export function tellingAnswers(sink: DecoderSink, main: Lane): DecoderSink {
  return {
    ...sink,
    emit(draft: Draft, origin) {
      const isMute = draft.type === 'agent.finished' && draft.status === 'ok' && main.isMute;
      sink.emit(isMute ? { ...draft, has_answer: false } : draft, origin);
    },
  };
}
