import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openBucket } from '../../src/tapes/chunks/bucket.ts';

it('waits once for a server that says nothing, however much is read', async () => {
  let asked = 0;
  const server = createServer(() => void (asked += 1));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret-of-the-key',
  };
  const bucket = openBucket({ kind: 'bucket', bucket: 'tapes', prefix: 'team' }, env, { answerMs: 500 });
  try {
    for (const name of ['a', 'b', 'c'])
      await expect(bucket.get(name, 100)).rejects.toThrow('cannot read from s3://tapes/team: no answer within 0.5 s');
    expect(asked).toBe(1);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
