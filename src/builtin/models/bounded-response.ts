import { FaultError } from './fault.ts';

/** Many times the size of a model's longest answer, even with each word in its own line of JSON. */
const mostBytes = 128 * 1024 * 1024;
export const mostCharacters = 4 * 1024 * 1024;

/** The same response, but its body fails with a fault if it does not end by itself. */
export function boundedResponse(response: Response): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > mostBytes) controller.error(endless(`${mostBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(count), { status, statusText, headers });
}

/** An answer that never ends: a model in a loop, or a malicious server. */
export function endless(limit: string): FaultError {
  return new FaultError({
    code: 'output_length',
    message: `the model's answer did not end within ${limit}`,
    retryable: false,
    name: 'EndlessAnswer',
  });
}
