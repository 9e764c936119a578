// The least that a process in between can do: it passes requests and answers on as they come, and looks at nothing.
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const [upstream = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const server = createServer({ keepAliveTimeout: 600_000 }, (incoming, response) => {
  const { method, headers, url } = incoming;
  const outgoing = request(`${upstream}${url}`, { method, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(outgoing);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.stdin.on('data', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  console.log(JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: maxRSS / 1024 }));
});
process.stdin.on('end', () => process.exit());
