import { isObject } from '../../json/read.ts';
import { objectInLine } from './lines.ts';
import { identityOf, isAnswer } from './repeated.ts';
import { hashOf, possibleSightings } from './sightings.ts';

const newline = 10;
/** No model writes as much at once. */
const longestLine = 16 * 1024 * 1024;

/** The model calls in a session file of Claude Code or pi, by a short hash of what identifies each; none in any other file. */
export class ModelCalls {
  readonly #hashes = new Set<string>();
  readonly #sightings = new Map<string, string>();
  /** Of a line whose end is yet to come. */
  #parts: Buffer[] = [];
  #length = 0;

  /** The next bytes of the file. */
  see(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let from = 0;
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
      this.#hold(bytes.subarray(from, at));
      this.#endLine();
      from = at + 1;
    }
    // The reader may use its buffer again.
    if (from < bytes.length) this.#hold(Buffer.from(bytes.subarray(from)));
  }

  end(): { requests: readonly string[]; sightings: ReadonlyMap<string, string> } {
    this.#endLine();
    return { requests: [...this.#hashes], sightings: this.#sightings };
  }

  #hold(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > longestLine) this.#parts = [];
    else this.#parts.push(part);
  }

  #endLine(): void {
    const [first, ...more] = this.#parts;
    if (first !== undefined && this.#length <= longestLine)
      this.#read(more.length === 0 ? first : Buffer.concat(this.#parts));
    this.#parts = [];
    this.#length = 0;
  }

  /** Most of a session are the results of tools, which are not parsed. */
  #read(line: Buffer): void {
    if (!line.includes('"assistant"') || !(line.includes('"parentUuid":') || line.includes('"message"'))) return;
    const wire = objectInLine(line);
    const identity = isAnswer(wire) ? identityOf(wire) : undefined;
    if (identity === undefined || this.#hashes.has(hashOf(identity))) return;
    const hash = hashOf(identity);
    this.#hashes.add(hash);
    const { message, timestamp } = wire ?? {};
    const id = isObject(message) ? message['id'] : undefined;
    if (typeof id !== 'string') return;
    for (const sighting of possibleSightings(id, typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN))
      this.#sightings.set(sighting, hash);
  }
}
