import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lines of one session file of Claude Code; `time` is that of a second of the session. */
export function claudeSessionLines(
  session: { cwd: string; sessionId: string; version: string },
  time: (second: number) => string,
) {
  return (second: number, uuid: string, more: object): object => ({
    parentUuid: uuid === 'u1' ? null : 'u1',
    isSidechain: false,
    ...session,
    uuid,
    timestamp: time(second),
    ...more,
  });
}

/** The session file of a run that made these model calls, in a folder of its own below `parent`; each took 10 tokens in and 1 out. */
export function writeClaudeSession(parent: string, name: string, calls: readonly string[], start: number): string {
  const line = claudeSessionLines({ cwd: '/repo', sessionId: name, version: '2.1.326' }, (second) =>
    new Date(start + second * 1000).toISOString(),
  );
  const last = calls.length - 1;
  const lines = calls.flatMap((id, index) => [
    line(index * 10, index === 0 ? 'u1' : `${name}-u-${id}`, {
      type: 'user',
      message: {
        role: 'user',
        content: index === 0 ? 'Go' : [{ type: 'tool_result', tool_use_id: `t-${calls[index - 1]}`, content: 'x' }],
      },
    }),
    line(index * 10 + 5, `${name}-a-${id}`, {
      type: 'assistant',
      requestId: `req_${id}`,
      message: {
        id,
        role: 'assistant',
        model: 'claude-opus-4-6',
        content:
          index === last
            ? [{ type: 'text', text: `${id}.` }]
            : [{ type: 'tool_use', id: `t-${id}`, name: 'Read', input: {} }],
        stop_reason: index === last ? 'end_turn' : 'tool_use',
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    }),
  ]);
  mkdirSync(join(parent, name), { recursive: true });
  const path = join(parent, name, `${name}.jsonl`);
  writeFileSync(path, lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
  return path;
}
