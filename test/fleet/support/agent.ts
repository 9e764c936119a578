// An agent that does what its words say, in Codex's words: LOG, then pairs such as `sleep 500`, `write a.txt`, `fail`, `env NAME`;
// `first` sleeps only when nobody has begun before, `until FILE` waits for a file.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [log = '', ...does] = process.argv.slice(2);
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const note = (what: string): void =>
  appendFileSync(log, `${JSON.stringify({ what, pid: process.pid, at: Date.now(), does: does.join(' ') })}\n`);

const isFirst = readFileSync(log, 'utf8') === '';
note('begin');
process.on('SIGTERM', () => {
  note('told');
  process.exit(143);
});
process.on('SIGINT', () => {
  note('told');
  process.exit(130);
});
say({ type: 'thread.started', thread_id: `session-${process.pid}` });
say({ type: 'turn.started' });
let answer = 'done';
let hasFailed = false;
for (let at = 0; at < does.length; at += 2) {
  const value = does[at + 1] ?? '';
  if (does[at] === 'sleep' || (does[at] === 'first' && isFirst)) await sleep(Number(value));
  else if (does[at] === 'until') while (!existsSync(value)) await sleep(20);
  else if (does[at] === 'write') writeFileSync(value, 'two\n');
  else if (does[at] === 'say') {
    for (let index = 0; index < Number(value); index += 1)
      say({ type: 'item.completed', item: { id: `said_${index}`, type: 'agent_message', text: `step ${index}` } });
  } else if (does[at] === 'env') answer = process.env[value] ?? 'unset';
  else if (does[at] === 'pwd') answer = process.cwd();
  else if (does[at] === 'fail') hasFailed = true;
}
note('end');
say({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: answer } });
if (hasFailed) say({ type: 'turn.failed', error: { message: 'unexpected status 503 Service Unavailable' } });
else
  say({
    type: 'turn.completed',
    usage: { input_tokens: 10, cached_input_tokens: 0, output_tokens: 5, reasoning_output_tokens: 0 },
  });
process.exitCode = hasFailed ? 1 : 0;
