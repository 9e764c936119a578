import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { changeWords } from '../words.ts';
import { absolutePath, type WorkingFolder } from './paths.ts';

/** The properties of `file.edited`. */
export function writeEdit(event: EventOf<'file.edited'>, place: WorkingFolder): JsonObject {
  const path = absolutePath(place, event.path);
  return {
    path,
    ...present({ callID: event.item_id }),
    diff: { ...diffOf(event, path), ...present({ patch: event.diff }), status: changeWords[event.operation] },
  };
}

/** A change as the bus writes it for a file, and in the summary of a user's message. */
export function diffOf(event: EventOf<'file.edited'>, path: string): JsonObject {
  return {
    file: path,
    ...(event.diff === undefined ? {} : sidesOf(event.diff)),
    ...present({ additions: event.additions, deletions: event.deletions }),
  };
}

/** A file that the assistant created, as a part of its message; undefined if its content is not known. */
export function filePart(event: EventOf<'file.edited'>, place: WorkingFolder): JsonObject | undefined {
  if (event.operation !== 'created' || event.diff === undefined) return undefined;
  const path = absolutePath(place, event.path);
  const { after } = sidesOf(event.diff);
  return {
    type: 'file',
    mime: 'text/plain',
    filename: path.slice(path.lastIndexOf('/') + 1),
    url: `file://${path.split('/').map(encodeURIComponent).join('/')}`,
    source: { type: 'file', path, text: { value: after, start: 0, end: after.length } },
  };
}

/** The contents before and after, as far as a unified diff shows them: complete if it shows the whole file. */
function sidesOf(diff: string): { before: string; after: string } {
  let [before, after] = ['', ''];
  let inside = false;
  let last = '';
  for (const line of diff.split('\n')) {
    const text = `${line.slice(1)}\n`;
    if (line.startsWith('@@')) inside = true;
    else if (!inside) continue;
    else if (line.startsWith('-')) before += text;
    else if (line.startsWith('+')) after += text;
    else if (line.startsWith(' ')) {
      before += text;
      after += text;
    } else if (line.startsWith('\\')) {
      // "\ No newline at end of file" is about the line before it.
      if (last !== '+') before = before.slice(0, -1);
      if (last !== '-') after = after.slice(0, -1);
    }
    last = line[0] ?? '';
  }
  return { before, after };
}
