import type { JsonObject } from '../../json/json.ts';
import { parseObject } from '../../json/parse.ts';
import { isObject } from '../../json/read.ts';
import { isExport } from './read/export.ts';
import { speakerOf } from '../shared/opencode/detect.ts';

const families = new Set(
  'catalog command file global ide installation integration lsp mcp message models-dev permission plugin project pty question reference server session storage todo tui vcs workspace worktree'.split(
    ' ',
  ),
);

/** Printed in place of a run by both OpenCode and its fork Kilo; nothing distinguishes the two then. */
const noPrompt = 'You must provide a message or a command';

export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  if (head.length === 0) {
    if (stderr.some((text) => text.includes(noPrompt))) return 0.6;
    return stderr.length === 0
      ? 0
      : detectAny(
          stderr.map(objectBegun).filter((wire) => wire !== undefined),
          [],
        );
  }
  return detectAny(head, stderr);
}

function detectAny(head: readonly JsonObject[], stderr: readonly string[]): number {
  if (head.some(isExport)) return 0.95;
  if (head.some((wire) => isBusLine(unwrap(wire)))) return 1;
  const speaker = speakerOf(head, stderr);
  return speaker?.who === 'opencode' ? speaker.sure : 0;
}

function isBusLine(wire: JsonObject): boolean {
  if (typeof wire.type !== 'string' || !families.has(wire.type.slice(0, Math.max(0, wire.type.indexOf('.')))))
    return false;
  return isObject(wire.properties) || (isObject(wire.data) && 'created' in wire && typeof wire.id === 'string');
}

/** Undefined also for an object that does not begin its line. */
function objectBegun(line: string): JsonObject | undefined {
  return line.startsWith('{') ? parseObject(line) : undefined;
}

/** The events of all instances (`/global/event`) come wrapped. A loop, because a line may be nested deeper than the call stack allows. */
export function unwrap(wire: JsonObject): JsonObject {
  let inner = wire;
  while (inner.type === undefined && isObject(inner.payload)) inner = inner.payload;
  return inner;
}
