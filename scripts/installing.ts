import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stagePackage } from './stage-package.ts';

export const run = (command: string, args: string[], cwd: string): string =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // Use the cache of npm where possible.
    env: { ...process.env, npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' },
  });

interface Packed {
  filename: string;
  shasum: string;
  size: number;
  files: { path: string }[];
}

/** The tarball of the current build, as it is published. */
export function pack(destination: string): Packed {
  mkdirSync(destination, { recursive: true });
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', destination], stagePackage())) as [
    Packed,
  ];
  return packed;
}

const commands = {
  npm: ['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error'],
  pnpm: ['npx', '--yes', 'pnpm@12.18.0', 'add', '--silent'],
  yarn: ['npx', '--yes', 'yarn@1.22.22', 'add', '--silent', '--no-progress'],
  bun: ['npx', '--yes', 'bun@1.4.4', 'add', '--silent'],
} as const;
type Installer = keyof typeof commands;

export const installers = Object.keys(commands) as Installer[];

/** An empty project with nothing but the package. */
export function install(name: string, tarball: string, project: string): string {
  const [command, ...args] = commands[name as Installer] ?? [];
  if (command === undefined) throw new Error(`unknown installer ${name}; known: ${installers.join(', ')}`);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  run(command, [...args, tarball], project);
  return project;
}

export function weigh(modules: string): { megabytes: number; packages: number } {
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  const packages = files.filter(
    (entry) => entry.name === 'package.json' && /node_modules\/(@[^/]+\/)?[^/@.][^/]*$/.test(entry.parentPath),
  );
  return { megabytes: bytes / 1e6, packages: packages.length };
}
