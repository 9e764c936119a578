import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from './scripted.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const action = readFileSync(join(root, 'action.yml'), 'utf8');

/** The inputs of the action that have a value when nobody gives one. */
export const defaults: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from(action.matchAll(/^ {2}(\w+):\n.*\n {4}default: (.*)$/gm), ([, name = '', value = '']) => [
    name,
    value === "''" ? '' : value,
  ]),
);
const script = /\n {6}run: \|\n((?: {8}.*\n)+)/.exec(action)?.[1]?.replaceAll(/^ {8}/gm, '') ?? 'exit 98';

/** One that a workflow asks for; by default the action builds the sources that it is part of. */
export const version = '0.1.0';

/** A package whose command is the one of this checkout. */
export function writePackage(
  folderOfPackage: string,
  line = `import(${JSON.stringify(join(root, 'bin', 'runwire.js'))});`,
): void {
  mkdirSync(join(folderOfPackage, 'bin'), { recursive: true });
  writeFileSync(join(folderOfPackage, 'bin', 'runwire.js'), `#!/usr/bin/env node\n${line}\n`, { mode: 0o755 });
  const manifest = { name: 'runwire', version, bin: { runwire: 'bin/runwire.js' } };
  writeFileSync(join(folderOfPackage, 'package.json'), JSON.stringify(manifest));
}

/** A folder for PATH with an `npm` that installs that package without a registry, and refuses anything but an exact version. */
export function folderWithNpm(): string {
  const place = folder();
  const from = folder();
  writePackage(from);
  const lines = [
    '#!/bin/sh',
    // The tests of a project are run by the real one.
    '[ "$1 $2" = "install --prefix" ] || PATH=${PATH#*:} exec npm "$@"',
    'for last; do :; done',
    `[ "$last" = "runwire@${version}" ] || exit 99`,
    `mkdir -p "$3/node_modules" && cp -r ${from} "$3/node_modules/runwire"`,
  ];
  writeFileSync(join(place, 'npm'), `${lines.join('\n')}\n`, { mode: 0o755 });
  return place;
}

export interface ActionEnd {
  status: number | null;
  said: string;
  outputs: Record<string, string>;
}

/** The action's own script, as a runner starts it. */
export async function runAction(
  inputs: Readonly<Record<string, string>>,
  { cwd, path, env = {} }: { cwd: string; path: string; env?: Readonly<Record<string, string>> },
): Promise<ActionEnd> {
  const output = join(folder(), 'output');
  writeFileSync(output, '');
  const given = Object.entries({ ...defaults, version, ...inputs }).map(([name, value]) => [
    `RUNWIRE_INPUT_${name.toUpperCase()}`,
    value,
  ]);
  let said = '';
  const status = await new Promise<number | null>((resolve) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: path,
        HOME: folder(),
        GITHUB_ACTIONS: 'true',
        GITHUB_OUTPUT: output,
        RUNWIRE_ACTION_PATH: root,
        RUNNER_TEMP: folder(),
        ...env,
        ...Object.fromEntries(given),
      },
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => void (said += text));
    child.on('close', resolve);
  });
  const outputs = Array.from(
    readFileSync(output, 'utf8').matchAll(/^(\w+)<<(\S+)\n([^]*?)\n?\2$/gm),
    ([, name = '', , value = '']) => [name, value] as const,
  );
  return { status, said, outputs: Object.fromEntries(outputs) };
}
