// A gateway in a process of its own, so that its memory and CPU time can be told from those of who asks.
import { Gateway } from '../src/wire/gateway.ts';

const [upstream = ''] = process.argv.slice(2);
const gateway = new Gateway({
  routes: [{ name: 'bench', upstream }],
  listener: {
    requested: () => undefined,
    responded: () => {},
    strayed: () => {},
  },
});
await gateway.open();
console.log(gateway.address('bench'));
process.stdin.on('data', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  console.log(JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: maxRSS / 1024 }));
});
process.stdin.on('end', () => void gateway.close());
