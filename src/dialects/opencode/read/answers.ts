import type { Draft } from '../../../events/event.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Lane } from './lane.ts';

/** The sink, which is told besides when a run ends well on a message without words: its answer is empty, whatever was said before. */
export function tellingAnswers(sink: DecoderSink, main: Lane): DecoderSink {
  return {
    ...sink,
    emit(draft: Draft, origin) {
      const isMute = draft.type === 'agent.finished' && draft.status === 'ok' && main.isMute;
      sink.emit(isMute ? { ...draft, has_answer: false } : draft, origin);
    },
  };
}
