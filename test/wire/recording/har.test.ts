import { expect, it } from 'vitest';
import { harOf } from '../../../src/wire/recording/har.ts';
import type { RecordedExchange } from '../../../src/wire/recording/recording.ts';

it('is an HTTP Archive with what was sent, what came back, and when', () => {
  const request = {
    number: 1,
    at_ms: 1500,
    api: 'gemini',
    route: 'google',
    method: 'POST',
    path: '/models/x:generate?alt=sse',
    body: { contents: [] },
  };
  const answer = {
    number: 1,
    status: 200,
    content_type: 'text/event-stream',
    ended: 'complete',
    first_byte_ms: 120,
    duration_ms: 400,
    body: 'data: {}\n\n',
  };
  const exchanges: RecordedExchange[] = [
    { request, answer },
    { request: { ...request, number: 2, at_ms: 2000 }, answer: undefined },
  ];
  expect(harOf(exchanges, Date.UTC(2026, 10, 18))).toMatchObject({
    log: {
      version: '1.2',
      creator: { name: 'runwire' },
      entries: [
        {
          startedDateTime: '2026-11-18T00:00:01.500Z',
          time: 400,
          request: {
            method: 'POST',
            url: 'http://google.invalid/models/x:generate?alt=sse',
            queryString: [{ name: 'alt', value: 'sse' }],
            postData: { text: '{"contents":[]}' },
          },
          response: { status: 200, content: { size: 10, text: 'data: {}\n\n' } },
          timings: { send: 0, wait: 120, receive: 280 },
        },
        { response: { status: 0, comment: 'no answer was recorded' } },
      ],
    },
  });
});
