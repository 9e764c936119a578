import { describe, expect, it } from 'vitest';
import { apis, receive } from './support/clients.ts';
import { openGateway } from './support/gateway.ts';
import { provider } from './support/servers.ts';
import { modelApis } from '../../src/words/vocabulary.ts';

const why = 'the cost limit of $1 was reached';

/** The words of each provider for a request that it does not take. */
const shapes = {
  messages: { type: 'error', error: { type: 'invalid_request_error', message: why } },
  responses: { error: { message: why, type: 'invalid_request_error', param: null, code: 'invalid_request_error' } },
  chat: { error: { message: why, type: 'invalid_request_error', param: null, code: null } },
  gemini: { error: { code: 400, message: why, status: 'FAILED_PRECONDITION' } },
};

describe.each(modelApis)('%s', (api) => {
  it('is refused in its own words, and no provider sees it', async () => {
    let seen = 0;
    const upstream = await provider((_incoming, response) => {
      seen += 1;
      response.end();
    });
    const { gateway, ended } = await openGateway([{ name: 'own', upstream }], {
      requested: () => Promise.resolve(why),
    });
    const { path, body } = apis[api];
    const received = await receive(gateway.address('own') + path(true), { body: JSON.stringify(body(true)) });
    expect({ status: received.status, body: JSON.parse(received.body) }).toEqual({ status: 400, body: shapes[api] });
    expect(await ended(1)).toMatchObject([
      {
        request: { number: 1, api },
        answer: { ended: 'refused', isServed: false, error: { code: 'refused', message: why } },
      },
    ]);
    expect(seen).toBe(0);
  });
});
