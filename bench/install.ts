// What an install weighs, and how fast what was installed starts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install, pack, weigh } from '../scripts/installing.ts';
import { binOf, idle, percentile10, runwire, time } from './race.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 25);
const folder = mkdtempSync(join(tmpdir(), 'runwire-install-'));
try {
  const { filename, size } = pack(folder);
  const began = performance.now();
  const project = install('npm', join(folder, filename), join(folder, 'project'));
  const seconds = (performance.now() - began) / 1000;
  const { megabytes, packages } = weigh(join(project, 'node_modules'));
  console.log(`tarball    ${(size / 1e6).toFixed(1)} MB`);
  console.log(`installed  ${megabytes.toFixed(1)} MB  target <= 25`);
  console.log(`packages   ${packages}  target <= 5`);
  console.log(`npm        ${seconds.toFixed(1)} s, with what npm had in its cache`);

  const bin = binOf(join(project, 'node_modules', 'runwire'));
  const cases = {
    'node -e 0': idle,
    'runwire --help': runwire(bin, '--help'),
    'runwire --version': runwire(bin, '--version'),
  };
  const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  // The first start compiles; what it compiled is kept.
  for (const each of Object.values(cases)) time(each);
  for (let round = 0; round < rounds; round += 1)
    for (const [name, each] of Object.entries(cases)) times.get(name)?.push(time(each).wall);
  const base = percentile10(times.get('node -e 0') ?? []);
  console.log(`\nstart of what is installed, p10 of ${rounds} interleaved runs`);
  for (const [name, all] of times) {
    const wall = percentile10(all);
    const goal = name.endsWith('--help') ? '  target <= 1.3' : '';
    console.log(
      `  ${name.padEnd(18)} ${(wall * 1000).toFixed(0).padStart(4)} ms  ratio ${(wall / base).toFixed(2)}${goal}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
