import type { Json } from '../../json/json.ts';
import { parseJson } from '../../json/parse.ts';
import { cleanJson } from '../recording/clean.ts';
import { cleanEvents, readEvents, writeEvents } from '../recording/events.ts';
import type { RecordedAnswer } from '../recording/recording.ts';
import type { Folders } from './normalise.ts';

/** An answer for a run in another folder: what it calls must not happen where the recorded run worked. */
export function movedAnswer(answer: RecordedAnswer, from: Folders, to: Folders): RecordedAnswer {
  const moves = [movesOf(from.cwd, to.cwd), movesOf(from.home, to.home)].filter((each) => each !== undefined);
  if (moves.length === 0) return answer;
  const moved = (text: string): string => moves.reduce((changed, move) => move(changed), text);
  if (/^text\/event-stream\b/i.test(answer.content_type))
    return { ...answer, body: writeEvents(cleanEvents(readEvents(answer.body), moved)) };
  const json = parseJson(answer.body);
  return { ...answer, body: json === undefined ? moved(answer.body) : JSON.stringify(cleanJson(json as Json, moved)) };
}

function movesOf(from: string | undefined, to: string | undefined): ((text: string) => string) | undefined {
  if (from === undefined || to === undefined || from === to || from.length < 2) return undefined;
  return (text) => text.split(from).reduce((before, after) => `${before}${/^[\w-]/.test(after) ? from : to}${after}`);
}
