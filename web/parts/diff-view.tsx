import { useMemo, useState } from 'preact/hooks';
import type { FileEdit, ToolPart } from '../model/row.ts';
import { coloured, type Stretch } from './code.tsx';
import { differences, diffLines, wordsOf } from './differences.ts';
import { visible } from './plain-text.ts';

interface Line {
  kind: 'same' | 'added' | 'removed' | 'place';
  text: string;
  old?: number | undefined;
  now?: number | undefined;
  /** The line that replaced it, or that it replaced. */
  pair?: string | undefined;
}

const linesShown = 400;
const mostEdits = 200;

/** A unified diff as rows, without lines that belong to no hunk. */
function readDiff(text: string): Line[] {
  const lines: Line[] = [];
  let old = 0;
  let now = 0;
  let isInHunk = false;
  for (const line of text.split('\n')) {
    const place = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@/.exec(line);
    if (place !== null) {
      [old, now, isInHunk] = [Number(place[1]), Number(place[2]), true];
      lines.push({ kind: 'place', text: line.slice(0, 200) });
    } else if (isInHunk && line.startsWith('[… ')) {
      // A part was cut out: line numbers are unknown until the next hunk header.
      lines.push({ kind: 'place', text: line.slice(0, 200) });
      isInHunk = false;
    } else if (!isInHunk || line.startsWith('\\')) continue;
    else if (line.startsWith('+')) lines.push({ kind: 'added', text: line.slice(1), now: now++ });
    else if (line.startsWith('-')) lines.push({ kind: 'removed', text: line.slice(1), old: old++ });
    else if (line.startsWith(' ')) lines.push({ kind: 'same', text: line.slice(1), old: old++, now: now++ });
    else if (line.startsWith('Index: ') || line.startsWith('diff ')) isInHunk = false;
  }
  return lines.length > 0 ? paired(lines) : looseLines(text);
}

/** A diff without line numbers still has plus and minus. */
function looseLines(text: string): Line[] {
  return paired(
    text.split('\n').flatMap((line): Line[] => {
      if (line.startsWith('+++') || line.startsWith('---')) return [];
      if (line.startsWith('+')) return [{ kind: 'added', text: line.slice(1) }];
      if (line.startsWith('-')) return [{ kind: 'removed', text: line.slice(1) }];
      return [{ kind: 'same', text: line }];
    }),
  );
}

/** Where as many lines were added as were removed right before them, each replaces one. */
function paired(lines: Line[]): Line[] {
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at]?.kind !== 'removed') continue;
    let middle = at;
    while (lines[middle]?.kind === 'removed') middle += 1;
    let end = middle;
    while (lines[end]?.kind === 'added') end += 1;
    if (end - middle === middle - at)
      for (let each = at; each < middle; each += 1) {
        const [before, after] = [lines[each], lines[each + middle - at]];
        if (before === undefined || after === undefined || before.text.length + after.text.length > 1000) continue;
        [before.pair, after.pair] = [after.text, before.text];
      }
    at = end - 1;
  }
  return lines;
}

/** The parts of a line that are not in the one that it replaced, or that replaced it. */
function changedIn({ kind, text, pair }: Line): Stretch[] {
  if (pair === undefined) return [];
  const [before, after] = kind === 'removed' ? [text, pair] : [pair, text];
  const found: Stretch[] = [];
  let at = 0;
  for (const { kind: each, value } of differences(wordsOf(before), wordsOf(after), mostEdits)) {
    if (each !== 'same' && each !== kind) continue;
    const { length } = value.join('');
    if (each === kind) found.push({ from: at, to: at + length });
    at += length;
  }
  return found;
}

const signs = { same: ' ', added: '+', removed: '-', place: ' ' };

interface Properties {
  diff: string;
  label: string;
  /** The file: its name says which language it is. */
  path: string;
  lines?: number;
}

export function DiffView({ diff, label, path, lines: most = linesShown }: Properties) {
  const lines = useMemo(() => readDiff(diff.length > 2_000_000 ? diff.slice(0, 2_000_000) : diff), [diff]);
  const [shown, setShown] = useState(most);
  return (
    <div class="diff">
      <div class="diff-box" tabIndex={0} role="group" aria-label={label}>
        <table role="presentation">
          <tbody>
            {lines.slice(0, shown).map((line, index) => (
              <tr key={index} class={`diff-${line.kind}`}>
                <td class="diff-number">{line.old ?? ''}</td>
                <td class="diff-number">{line.now ?? ''}</td>
                <td class="diff-sign">{signs[line.kind]}</td>
                <td class="diff-text">
                  {line.kind === 'place' ? visible(line.text) : coloured(line.text, path, changedIn(line))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {lines.length > shown ? (
        <button type="button" class="more" onClick={() => setShown(shown + 1000)}>
          Show {Math.min(1000, lines.length - shown)} more of {lines.length - shown} lines
        </button>
      ) : null}
    </div>
  );
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 200_000 ? value : undefined;

/** The reported diff, or one made from the old and new text in the tool call. */
export function diffOf(edit: FileEdit | undefined, tool: ToolPart | undefined): string | undefined {
  if (edit?.diff !== undefined && edit.diff !== '') return edit.diff;
  if (tool === undefined || tool.kind !== 'file_edit' || typeof tool.args !== 'object' || tool.args === null)
    return undefined;
  const args = tool.args as Record<string, unknown>;
  const after = text(
    args['newString'] ??
      args['new_string'] ??
      args['new_str'] ??
      args['content'] ??
      args['file_text'] ??
      args['contents'],
  );
  if (after === undefined) return text(args['patch'] ?? args['diff']);
  const before = text(args['oldString'] ?? args['old_string'] ?? args['old_str']) ?? '';
  return diffLines(before, after);
}
