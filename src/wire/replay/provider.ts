import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiOf } from '../apis/registry.ts';
import { decompressed } from '../decompress.ts';
import { refuse, refuseStray } from '../refusal.ts';
import { bodyOf, mostBytes } from '../request-body.ts';
import { jsonOrText } from '../../json/parse.ts';
import type { RecordedAnswer } from '../recording/recording.ts';
import { type Departure, departureText } from './departure.ts';
import type { Answers } from './matcher.ts';

/** How long the last bytes of an answer that breaks off take to arrive. */
const breakMs = 100;

/** What is told of a replay while it goes on. */
export interface ReplayListener {
  /** A request got its recorded answer; `isLoose`: a tool printed its lines in another order than then. */
  answered(recorded: number, isLoose: boolean): void;
  departed(departure: Departure): void;
}

/** A provider that knows nothing but a recording. What was not recorded is refused, so that every agent stops at once. */
export class ReplayProvider {
  readonly #answers: Answers;
  readonly #moved: (answer: RecordedAnswer) => RecordedAnswer;
  readonly #listener: ReplayListener;
  readonly #server: Server;
  /** Other users of this machine must not read the recording. */
  readonly #secret = randomBytes(18).toString('base64url');

  /** `moved`: answers name files where they are now. */
  constructor(
    answers: Answers,
    listener: ReplayListener,
    moved: (answer: RecordedAnswer) => RecordedAnswer = (same) => same,
  ) {
    this.#answers = answers;
    this.#moved = moved;
    this.#listener = listener;
    this.#server = createServer(
      (incoming, response) => void this.#serve(incoming, response).catch(() => response.destroy()),
    );
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Takes the place of every provider's address. */
  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${this.#secret}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', method = 'GET' } = incoming;
    const path = url.startsWith(`/${this.#secret}/`) ? url.slice(this.#secret.length + 1) : undefined;
    const api = path === undefined ? undefined : apiOf(method, path.split('?', 1)[0] ?? '');
    const sent = await bodyOf(incoming);
    // Agents do without lists of models and counts of tokens, which are not recorded.
    if (path === undefined || api === undefined || api === 'free' || sent === undefined)
      return refuseStray(response, 'not recorded');
    const text = (await decompressed(sent, incoming.headers['content-encoding'], mostBytes)).toString();
    const match = this.#answers.match({ method, path, body: jsonOrText(text) });
    if ('departure' in match) {
      this.#listener.departed(match.departure);
      return refuse(response, departureText(match.departure, this.#answers.size), api);
    }
    this.#listener.answered(match.recorded, match.isLoose);
    await answer(response, this.#moved(match.answer));
  }
}

/** As the provider did: one that broke off then breaks off now, at the same place. */
async function answer(
  response: ServerResponse,
  { status, content_type: type, retry = {}, ended, body }: RecordedAnswer,
): Promise<void> {
  if (status === null) return ended === 'cut_by_agent' ? undefined : void response.destroy();
  response.writeHead(status, { ...(type === '' ? {} : { 'content-type': type }), ...retry });
  await new Promise<void>((resolve) => response.write(body, () => resolve()));
  if (ended === 'complete') response.end();
  // There the agent left, or was stopped, while it waited for more.
  else if (ended === 'cut_by_agent') response.flushHeaders();
  else {
    // Whoever reads it must have what came before, or it breaks off earlier than it did.
    await new Promise((resolve) => setTimeout(resolve, breakMs));
    response.destroy();
  }
}
