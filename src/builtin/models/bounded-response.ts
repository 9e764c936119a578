import { FaultError } from './fault.ts';

/** Many times what the longest answer of a model takes, each of its words in a line of JSON. */
const mostBytes = 128 * 1024 * 1024;
export const mostCharacters = 4 * 1024 * 1024;

/** The same response, whose body ends in a fault when it does not end by itself. */
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

/** An answer that goes on and on: a model in a loop, or a server that means harm. */
export function endless(limit: string): FaultError {
  return new FaultError({
    code: 'output_length',
    message: `the model's answer did not end within ${limit}`,
    retryable: false,
    name: 'EndlessAnswer',
  });
}
