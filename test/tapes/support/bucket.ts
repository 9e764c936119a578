import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

export interface BucketServer {
  /** What a program needs to reach it, with the right key. */
  readonly env: {
    AWS_ENDPOINT_URL: string;
    AWS_REGION: string;
    AWS_ACCESS_KEY_ID: string;
    AWS_SECRET_ACCESS_KEY: string;
  };
  /** Where the objects are as files. */
  readonly folder: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

const secretKey = 'S3RVER';

/** A server that speaks S3, with one bucket, `tapes`; it refuses wrong signatures. */
export async function startBucket(): Promise<BucketServer> {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-bucket-'));
  let port = 0;
  let server: Server | undefined;
  async function start(): Promise<void> {
    const s3 = new S3rver({
      address: '127.0.0.1',
      port,
      silent: true,
      directory: folder,
      vhostBuckets: false,
      configureBuckets: [{ name: 'tapes' }],
    });
    port = (await s3.run()).port;
    server = s3.httpServer;
  }
  async function stop(): Promise<void> {
    const ending = server;
    server = undefined;
    if (ending === undefined) return;
    const closed = new Promise((resolve) => void ending.close(resolve));
    ending.closeAllConnections();
    await closed;
  }
  await start();
  return {
    env: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: secretKey,
    },
    folder,
    start,
    stop,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
