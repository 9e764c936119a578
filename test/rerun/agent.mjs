// An agent that does what a list says, truly, and prints it as Codex does: it writes files, runs commands, and claims something.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const steps = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const change = (path, kind) => {
  const item = {
    id: `item_${(count += 1)}`,
    type: 'file_change',
    changes: [{ path: `${process.cwd()}/${path}`, kind }],
  };
  say({ type: 'item.started', item: { ...item, status: 'in_progress' } });
  say({ type: 'item.completed', item: { ...item, status: 'completed' } });
};
let count = 0;
say({ type: 'thread.started', thread_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' });
say({ type: 'turn.started' });
for (const { write, text, remove, run, answer } of steps) {
  if (write !== undefined) {
    const kind = existsSync(write) ? 'update' : 'add';
    mkdirSync(dirname(write), { recursive: true });
    writeFileSync(write, text);
    change(write, kind);
  }
  if (remove !== undefined) {
    rmSync(remove);
    change(remove, 'delete');
  }
  if (run !== undefined) {
    const item = { id: `item_${(count += 1)}`, type: 'command_execution', command: run };
    say({ type: 'item.started', item: { ...item, aggregated_output: '', exit_code: null, status: 'in_progress' } });
    let output = '';
    let exit_code = 0;
    try {
      output = execFileSync('/bin/sh', ['-c', `{ ${run}\n} 2>&1`], { encoding: 'utf8' });
    } catch (error) {
      output = error.stdout;
      exit_code = error.status;
    }
    say({
      type: 'item.completed',
      item: { ...item, aggregated_output: output, exit_code, status: exit_code === 0 ? 'completed' : 'failed' },
    });
  }
  if (answer !== undefined)
    say({ type: 'item.completed', item: { id: `item_${(count += 1)}`, type: 'agent_message', text: answer } });
}
say({ type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } });
