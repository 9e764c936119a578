// Makes the recordings of examples/fix-the-test: runs the built command against a scripted model, recorded as a real one would be.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer, type TurnInput } from '../test/support/model-server/index.ts';

const root = join(import.meta.dirname, '..');
const example = join(root, 'examples', 'fix-the-test');
const flags = ['--allow', 'bash(node --test)', 'A test fails here. Find out why, and fix it.'];

for (const [script, recording] of [
  ['script.json', 'model.jsonl'],
  ['second-script.json', 'second.jsonl'],
] as const)
  await record(script, recording);

async function record(script: string, recording: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-example-'));
  const { turns } = JSON.parse(readFileSync(join(example, script), 'utf8')) as { turns: TurnInput[] };
  const server = await startModelServer({ turns });
  try {
    cpSync(join(example, 'project'), folder, { recursive: true });
    const model = ['--model', 'openai-compatible/scripted', '--base-url', server.baseUrl('chat')];
    const kept = ['--record-model', join(example, recording)];
    const bin = join(root, 'bin', 'runwire.js');
    const run = spawn(process.execPath, [bin, 'run', '--cwd', folder, ...model, ...kept, ...flags], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [status] = (await once(run, 'close')) as [number | null];
    if (status !== 0) throw new Error(`the run ended with ${status}`);
    if (spawnSync(process.execPath, ['--test'], { cwd: folder }).status !== 0)
      throw new Error('the example is not fixed');
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
}
