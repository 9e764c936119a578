export interface Tape {
  readonly name: string;
  read(after?: number): AsyncGenerator<Uint8Array, unknown>;
}
