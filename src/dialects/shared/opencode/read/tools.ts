import type { Draft, EventOf, FileOperation } from '../../../../events/event.ts';
import { present } from '../../../../json/present.ts';
import type { Json, JsonObject } from '../../../../json/json.ts';
import { asText, filled, integer, isObject, list, object, time, whole } from '../../../../json/read.ts';
import { kindIn } from '../../../kit/tool-kinds.ts';
import { patchHeads, toolKinds } from '../words.ts';

/** The id of a call: `callID`, or in version 2 `id` beside a `partID`. */
export function callIdOf(part: JsonObject): string | undefined {
  return filled(part.callID) ?? filled(part.id) ?? filled(part.partID);
}

export function startTool(id: string, name: string, args: Json): Extract<Draft, { type: 'item.started' }> {
  return { type: 'item.started', item_id: id, kind: kindIn(toolKinds, name), name, args };
}

/** How a tool part ended; undefined if it has not. */
export function endTool(id: string, name: string, state: JsonObject): EventOf<'item.completed'> | undefined {
  const from = time(object(state.time).start);
  const to = time(object(state.time).end);
  const duration = from === undefined || to === undefined || to < from ? {} : { duration_ms: to - from };
  switch (state.status) {
    case 'completed': {
      const details = detailsOf(state);
      // A failed command is "completed" too; only its exit code tells (null: it was stopped). So is a call that could not be parsed.
      const failed = name === 'invalid' || ('exit' in details && details.exit !== 0);
      const withheld = name === 'invalid' && isWithheld(object(state.input));
      return {
        type: 'item.completed',
        item_id: id,
        status: withheld ? 'denied' : failed ? 'error' : 'success',
        output: asText(state.output),
        ...present({ exit_code: integer(details.exit) }),
        ...duration,
      };
    }
    case 'error': {
      const error = asText(state.error);
      const interrupted = object(state.metadata).interrupted === true || error === 'Tool execution aborted';
      const status = interrupted ? 'cancelled' : isRefusal(error) ? 'denied' : 'error';
      return { type: 'item.completed', item_id: id, status, error, ...duration };
    }
  }
  return undefined;
}

const refusals =
  /^The user (?:has )?(?:rejected permission|specified a rule which prevents)|so the request was rejected/;

export function isRefusal(error: string): boolean {
  return refusals.test(error.length > 500 ? error.slice(0, 500) : error);
}

/** A tool that may never be used is not offered to the model; if the model calls it anyway, that becomes a call to `invalid`. */
function isWithheld({ tool, error }: JsonObject): boolean {
  const name = asText(tool);
  return Object.hasOwn(toolKinds, name) && asText(error).startsWith(`Model tried to call unavailable tool '${name}'`);
}

/** Version 2 wraps the tool's own metadata: `{metadata, content, …}`. */
function detailsOf(state: JsonObject): JsonObject {
  const metadata = object(state.metadata);
  return isObject(metadata.metadata) && 'content' in metadata ? metadata.metadata : metadata;
}

export type Edit = Extract<Draft, { type: 'file.edited' }>;

/** The files that a successful call to an editing tool changed. */
export function editsOf(tool: string, state: JsonObject, itemId: string): Edit[] {
  const input = object(state.input);
  const details = detailsOf(state);
  const edit = { type: 'file.edited', item_id: itemId } as const;
  switch (tool) {
    case 'write':
    case 'edit':
    case 'multiedit': {
      const diff = object(details.filediff);
      const path = filled(input.filePath) ?? filled(details.filepath) ?? filled(diff.file);
      if (path === undefined) return [];
      const created = details.exists === false || (tool === 'edit' && input.oldString === '');
      return [{ ...edit, path, operation: created ? 'created' : 'modified', ...sizeOf(diff, details.diff) }];
    }
    case 'patch':
    case 'apply_patch': {
      const files = list(details.files).filter(isObject);
      if (files.length === 0) return patchedFiles(asText(input.patchText)).map((file) => ({ ...edit, ...file }));
      return files.flatMap((file) => {
        const path = filled(file.movePath) ?? filled(file.filePath) ?? filled(file.relativePath);
        if (path === undefined) return [];
        const operation = file.type === 'add' ? 'created' : file.type === 'delete' ? 'deleted' : 'modified';
        return [{ ...edit, path, operation, ...sizeOf(file, file.patch ?? file.diff) } as const];
      });
    }
  }
  return [];
}

/** Lines added and removed, and the diff itself, where reported. */
export function sizeOf(counts: JsonObject, diff: Json | undefined): Pick<Edit, 'additions' | 'deletions' | 'diff'> {
  return present({ additions: whole(counts.additions), deletions: whole(counts.deletions), diff: filled(diff) });
}

function patchedFiles(patch: string): { path: string; operation: FileOperation }[] {
  return patch.split('\n').flatMap((line) => {
    const [head, operation] = patchHeads.find(([start]) => line.startsWith(start)) ?? [];
    return head === undefined || operation === undefined ? [] : [{ path: line.slice(head.length).trim(), operation }];
  });
}
