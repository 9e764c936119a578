import type { EventOf } from '../../../events/event.ts';
import type { JsonObject } from '../../dialect.ts';
import { changeWords } from '../words.ts';

/** The properties of `file.edited`. */
export function writeEdit(event: EventOf<'file.edited'>): JsonObject {
  return {
    path: event.path,
    ...(event.item_id === undefined ? {} : { callID: event.item_id }),
    diff: {
      file: event.path,
      ...sidesOf(event.diff),
      ...(event.additions === undefined ? {} : { additions: event.additions }),
      ...(event.deletions === undefined ? {} : { deletions: event.deletions }),
      ...(event.diff === undefined ? {} : { patch: event.diff }),
      status: changeWords[event.operation],
    },
  };
}

/** What a unified diff shows of the two contents. */
function sidesOf(diff: string | undefined): { before: string; after: string } {
  const before: string[] = [];
  const after: string[] = [];
  let inside = false;
  for (const line of (diff ?? '').split('\n')) {
    if (line.startsWith('@@')) inside = true;
    else if (!inside) continue;
    else if (line.startsWith('-')) before.push(line.slice(1));
    else if (line.startsWith('+')) after.push(line.slice(1));
    else if (line.startsWith(' ')) {
      before.push(line.slice(1));
      after.push(line.slice(1));
    }
  }
  return { before: before.join('\n'), after: after.join('\n') };
}
