import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import type { JSONRPCMessage, MCPTransport } from '@ai-sdk/mcp';
import { startTalking, type Program, type Talking } from '../../processes/child.ts';
import type { Guarded } from '../../processes/guarded.ts';
import { quotedEnd } from '../../redact/quoted.ts';
import { safeStart } from '../../redact/safe-cut.ts';

const longestLine = 64 * 1024 * 1024;
const stderrShown = 2000;
const stderrKept = 32 * 1024;
/** How long a server may take to end after SIGTERM. */
const grace = 2000;

/**
 * An MCP server as a child process, one JSON message per line. The package's own transport passes on more of our environment
 * than was asked for and ends only the first process, so that a server started by `npx` would keep running.
 */
export class StdioTransport implements MCPTransport {
  readonly supportsProtocolVersionDiscovery = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #program: Program;
  readonly #read: (line: string) => JSONRPCMessage;
  #guarded: Guarded<Talking> | undefined;
  #ending: Promise<unknown> | undefined;
  #stderr = '';
  #end = '';

  constructor(program: Program, read: (line: string) => JSONRPCMessage) {
    this.#program = program;
    this.#read = read;
  }

  start(): Promise<void> {
    this.#guarded = startTalking(this.#program);
    const { child } = this.#guarded;
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (this.#stderr = lastOf(this.#stderr + text)));
    this.#readLines(child);
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.once('close', () => this.onclose?.());
    child.once('exit', (code, signal) => {
      if (this.#ending === undefined)
        this.#end = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
      // A child process of the server may keep the pipes open after the server itself has exited.
      setTimeout(() => this.onclose?.(), 250).unref();
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  #readLines(child: Talking): void {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    child.stdout.on('data', (bytes: Buffer) => {
      const lines = decoder.write(bytes).split('\n');
      lines[0] = rest + (lines[0] ?? '');
      rest = lines.pop() ?? '';
      if (rest.length > longestLine) {
        this.onerror?.(new Error(`a message longer than ${longestLine} characters`));
        void this.close();
        return;
      }
      for (const line of lines) if (line.trim() !== '') this.#take(line);
    });
  }

  #take(line: string): void {
    try {
      this.onmessage?.(this.#read(line));
    } catch (error) {
      // Servers print banners on stdout, and answers that nobody is waiting for any more.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#guarded === undefined) reject(new Error('the server is not running'));
      else
        this.#guarded.child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** What is known about a server that failed: how it ended, if it did, and the end of its stderr. */
  async lastWords(): Promise<string[]> {
    if (this.#guarded?.tree !== undefined && this.#end === '') await wait(100);
    return [
      this.#end,
      this.#stderr.trim() === '' ? '' : `it said: ${quotedEnd(this.#stderr, stderrShown, this.#program.env)}`,
    ].filter((each) => each !== '');
  }

  async close(): Promise<void> {
    const child = this.#guarded?.child;
    // A server that has closed its stdin is exiting by itself, and its exit code is worth knowing.
    if (child?.stdin.destroyed === true && this.#end === '' && this.#ending === undefined) await wait(100);
    this.#ending ??= this.#guarded?.end(grace);
    await this.#ending;
    child?.stdin.destroy();
    child?.stdout.destroy();
    child?.stderr.destroy();
  }
}

function lastOf(text: string): string {
  return text.length <= stderrKept ? text : text.slice(safeStart(text, text.length - stderrKept));
}
