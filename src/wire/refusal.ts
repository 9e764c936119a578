import type { ServerResponse } from 'node:http';
import type { Api } from './apis/api.ts';
import { chat } from './apis/chat.ts';

/** Agents ask again after other statuses, some of them for minutes; this one made every agent that was tried stop at once. */
const refused = 400;

/** Says no as the provider would. */
export function refuse(response: ServerResponse, message: string, api: Api = chat): void {
  answer(response, refused, api.refusal(message));
}

/** What is not passed on at all. */
export function refuseStray(response: ServerResponse, message: string): void {
  answer(response, 404, chat.refusal(message));
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  });
  response.end(text);
}
