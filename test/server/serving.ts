import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { atFileEnd } from '../support/at-file-end.ts';

const root = join(import.meta.dirname, '..', '..');
const bin = join(root, 'bin', 'runwire.js');

export const readToken = 'read-token-of-a-test-0123456789';
export const stopToken = 'stop-token-of-a-test-0123456789';
export const reportToken = 'report-token-of-a-test-0123456789';

export interface Serving {
  origin: string;
  port: number;
  /** What was printed as the link. */
  link: string;
  child: ChildProcess;
  ended: Promise<number | null>;
  /** With the read token, unless another is named; `undefined`: none. */
  ask(path: string, init?: RequestInit & { token?: string | undefined }): Promise<Response>;
  json<Value>(path: string): Promise<Value>;
}

/** `runwire serve` as a user starts it. */
export async function serving(
  state: string,
  flags: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Serving> {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', ...flags], {
    cwd: root,
    env: {
      ...process.env,
      XDG_STATE_HOME: state,
      RUNWIRE_READ_TOKEN: readToken,
      RUNWIRE_STOP_TOKEN: stopToken,
      RUNWIRE_REPORT_TOKEN: reportToken,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atFileEnd(() => child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  let said = '';
  const link = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /open (\S+)\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then((code) => reject(new Error(`serve ended with ${code}: ${said}`)));
  });
  const { origin, port } = new URL(link);
  async function ask(path: string, init: RequestInit & { token?: string | undefined } = {}): Promise<Response> {
    const { token, headers, ...rest } = { token: readToken, ...init };
    return fetch(`${origin}${path}`, {
      ...rest,
      headers: { ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }), ...headers },
    });
  }
  return {
    origin,
    port: Number(port),
    link,
    child,
    ended,
    ask,
    async json(path) {
      const response = await ask(path);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as never;
    },
  };
}

export interface SentMessage {
  event: string;
  id: string | undefined;
  data: unknown;
}

/** The messages of a stream of server-sent events, as they come. */
export async function* messagesOf(response: Response): AsyncGenerator<SentMessage> {
  let text = '';
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
      );
      text = text.slice(end + 2);
      const data = fields.get('data');
      if (data !== undefined) yield { event: fields.get('event') ?? '', id: fields.get('id'), data: JSON.parse(data) };
    }
  }
}

export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** `runwire …` beside the server, with the same state folder. */
export function beside(
  state: string,
  args: readonly string[],
  env: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<{ code: number | null; stdout: string; stderr: string }> } {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: root,
    env: { ...process.env, XDG_STATE_HOME: state, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atFileEnd(() => child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
  return {
    child,
    ended: new Promise((resolve) => void child.on('close', (code) => resolve({ code, stdout, stderr }))),
  };
}
