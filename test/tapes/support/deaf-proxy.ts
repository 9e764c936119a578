import { connect, createServer, type Server, type Socket } from 'node:net';

/** Passes everything to a PostgreSQL server and back, but for notifications: as a pool does whose connections change with every transaction. */
export async function startDeafProxy(
  target: string,
): Promise<{ url: string; dropped: () => number; close: () => Promise<void> }> {
  const url = new URL(target);
  const port = Number(url.port);
  let dropped = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const backend = connect(port, url.hostname);
    for (const socket of [client, backend]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        backend.destroy();
      });
    }
    let asksForEncryption = false;
    client.once('data', (first) => void (asksForEncryption = first.length === 8));
    client.pipe(backend);
    let held = Buffer.alloc(0);
    backend.on('data', (bytes) => {
      held = Buffer.concat([held, bytes]);
      if (asksForEncryption) {
        asksForEncryption = false;
        client.write(held.subarray(0, 1));
        held = held.subarray(1);
      }
      // A message is a letter, its length, and what it says.
      while (held.length >= 5) {
        const length = 1 + held.readInt32BE(1);
        if (held.length < length) return;
        if (held[0] === 'A'.charCodeAt(0)) dropped += 1;
        else client.write(held.subarray(0, length));
        held = held.subarray(length);
      }
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  url.port = String(address.port);
  return {
    url: url.href,
    dropped: () => dropped,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
