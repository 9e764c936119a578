import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The session file of pi with these model calls (m1, m2, …), in a folder of its own below `parent`; each took 10 tokens in and 1 out. */
export function writePiSession(parent: string, name: string, calls: readonly string[], start: number): string {
  // The rows that a fork copies keep their times.
  const timeOf = (call: string): number => start + Number(call.slice(1)) * 1000;
  const row = (id: string, at: number, message: object) => ({
    type: 'message',
    id,
    parentId: null,
    timestamp: new Date(at).toISOString(),
    message: { ...message, timestamp: at },
  });
  const last = calls.length - 1;
  const lines = [
    { type: 'session', version: 3, id: name, timestamp: new Date(start).toISOString(), cwd: '/repo' },
    row('u1', start, { role: 'user', content: [{ type: 'text', text: 'Go' }] }),
    ...calls.flatMap((call, index) => {
      const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 11 };
      const about = { role: 'assistant', api: 'x', provider: 'x', model: 'gpt-5.5', usage };
      if (index === last)
        return [
          row(`a-${call}`, timeOf(call), {
            ...about,
            content: [{ type: 'text', text: `${call}.` }],
            stopReason: 'stop',
          }),
        ];
      const asks = [{ type: 'toolCall', id: `t-${call}`, name: 'read', arguments: { path: 'x' } }];
      const result = { role: 'toolResult', toolCallId: `t-${call}`, toolName: 'read', isError: false };
      return [
        row(`a-${call}`, timeOf(call), { ...about, content: asks, stopReason: 'toolUse' }),
        row(`r-${call}`, timeOf(call) + 500, { ...result, content: [{ type: 'text', text: 'x' }] }),
      ];
    }),
  ];
  mkdirSync(join(parent, name), { recursive: true });
  const path = join(parent, name, `${name}.jsonl`);
  writeFileSync(path, lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
  return path;
}
