import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inside, project } from '../../cli/run/live.ts';

it('what comes at once may be any number of lines', async () => {
  const cwd = project();
  const lines = [
    '{"type":"thread.started","thread_id":"one"}',
    '{"type":"turn.started"}',
    '{"type":"new"}'.repeat(90_000),
    '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"done"}}',
    '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}',
  ];
  writeFileSync(join(cwd, 'run.jsonl'), `${lines.join('\n')}\n`);
  const run = await inside(
    ['run', '-q', '--to', 'runwire', '--from', 'codex', '--ledger', 'none', '--', 'cat', 'run.jsonl'],
    { cwd },
  );
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
  expect(run.stdout.split('\n').filter((line) => line.startsWith('{"type":"line.unknown"'))).toHaveLength(90_000);
});
