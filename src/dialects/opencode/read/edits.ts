import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { filled, object, string } from '../../../json/read.ts';
import { type Edit, sizeOf } from '../../shared/opencode/read/tools.ts';
import { Recent } from '../../kit/recent.ts';

/** No more files are remembered: reporting one twice is better than memory that grows with the stream. */
const remembered = 1000;

/** Files reported as edited by a separate event, which may know less than the tool and the file watcher do. */
export class Edits {
  readonly #sink: DecoderSink;
  /** Files reported while their tool has not ended, with what the watcher saw. */
  readonly #pending = new Map<string, Edit['operation'] | undefined>();
  readonly #inTurn = new Recent<true>(remembered);

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  startTurn(): void {
    this.#inTurn.clear();
  }

  /** `file.edited`: `{file}`, or `{path, diff}` as documented. */
  tell(properties: JsonObject): void {
    const path = filled(properties.path);
    const file = filled(properties.file);
    if (path !== undefined)
      this.#emit({
        path,
        ...present({ item_id: filled(properties.callID) }),
        ...toldBy(object(properties.diff)),
        ...(path.endsWith('/') ? folder : {}),
      });
    else if (file !== undefined) this.#expect(file);
  }

  watch(path: string | undefined, event: Json | undefined): void {
    if (path === undefined || !this.#pending.has(path)) return;
    if (event === 'add') this.#pending.set(path, 'created');
    else if (event === 'unlink') this.#pending.set(path, 'deleted');
  }

  /** The tool that made the edits has ended and knows more; files that it did not mention are reported as they are. */
  settle(edits: readonly Edit[]): void {
    for (const edit of edits) if (this.#pending.has(edit.path)) this.#emit(edit);
    for (const path of this.#pending.keys()) this.#emit({ path });
  }

  /** Files that changed during the turn by whatever means. */
  changed(paths: readonly Json[]): void {
    for (const path of paths) if (typeof path === 'string' && !this.#inTurn.has(path)) this.#emit({ path });
  }

  /** A file part: a file that the assistant hands over. (The user's file parts are attachments.) */
  handOver(part: JsonObject): void {
    const url = string(part.url) ?? '';
    const path =
      filled(object(part.source).path) ??
      (url.startsWith('file://') ? filled(url.slice(7)) : undefined) ??
      filled(part.filename);
    // If `file.edited` reported it in this turn, it is the same file.
    if (path === undefined || this.#inTurn.has(path)) return;
    const isFolder = part.mime === 'application/x-directory' || path.endsWith('/');
    const text = object(object(part.source).text);
    const content = text.start === 0 ? string(text.value) : undefined;
    this.#emit({ path, operation: 'created', ...(isFolder ? folder : present({ size: bytesOf(content) })) });
  }

  #expect(path: string): void {
    this.#pending.set(path, this.#pending.get(path));
    const [oldest] = this.#pending.size > remembered ? this.#pending.keys() : [];
    if (oldest !== undefined) this.#emit({ path: oldest });
  }

  #emit(edit: Pick<Edit, 'path'> & Partial<Edit>): void {
    const seen = this.#pending.get(edit.path);
    this.#pending.delete(edit.path);
    this.#inTurn.set(edit.path, true);
    this.#sink.emit({ ...edit, type: 'file.edited', operation: seen ?? edit.operation ?? 'modified' });
  }
}

const folder = { file_type: 'directory' } as const;

const encoder = new TextEncoder();

function bytesOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : encoder.encode(text).length;
}

/** What a diff says about an edit, by its status, or by an empty text before or after. */
function toldBy(diff: JsonObject): Partial<Edit> {
  const size = sizeOf(diff, diff.patch);
  const [before, after] = [string(diff.before), string(diff.after)];
  // Beside a patch, the contents may be only the parts that the patch shows.
  const holds = present({ size: diff.patch === undefined ? bytesOf(after) : undefined });
  if (diff.status === 'added' || (diff.status === undefined && before === '' && after !== undefined && after !== ''))
    return { operation: 'created', ...size, ...holds };
  if (diff.status === 'deleted' || (diff.status === undefined && after === '' && before !== undefined && before !== ''))
    return { operation: 'deleted', ...size };
  return { operation: 'modified', ...size, ...holds };
}
