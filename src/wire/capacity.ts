/** So many requests and so many bytes of them at once; an agent with many sub-agents has far fewer. */
const mostRequests = 256;
const mostBytes = 512 * 1024 * 1024;

/** What the requests of one gateway hold at the same time: an agent that asks for any number must not fill the memory of Runwire. */
export class Capacity {
  #requests = 0;
  #bytes = 0;

  /** Returns undefined if there is none for another request. */
  enter(): Share | undefined {
    if (this.#requests >= mostRequests) return undefined;
    this.#requests += 1;
    let held = 0;
    let isFull = false;
    return {
      get isFull() {
        return isFull;
      },
      take: (bytes) => {
        isFull = this.#bytes + bytes > mostBytes;
        if (isFull) return false;
        this.#bytes += bytes;
        held += bytes;
        return true;
      },
      leave: () => {
        this.#requests -= 1;
        this.#bytes -= held;
        held = 0;
      },
    };
  }
}

/** That of one request. */
export interface Share {
  /** False: there is no room for so many more bytes. */
  take(bytes: number): boolean;
  /** There was none. */
  readonly isFull: boolean;
  leave(): void;
}
