import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { atFileEnd } from '../../support/at-file-end.ts';
import { folderWithNpm, runAction, version, writePackage } from './action.ts';
import { folder } from './scripted.ts';

/** A registry with one package, of which `line` is the command. */
async function registry(line?: string): Promise<{ url: string; asked: () => number }> {
  const place = folder();
  writePackage(join(place, 'package'), line);
  const tarball = execFileSync('tar', ['-cz', 'package'], { cwd: place });
  let asked = 0;
  const http = createServer((request, response) => {
    asked += 1;
    if (request.url?.endsWith('.tgz') === true) return void response.end(tarball);
    const dist = { tarball: `${url}/runwire-${version}.tgz` };
    const versions = { [version]: { name: 'runwire', version, bin: { runwire: 'bin/runwire.js' }, dist } };
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ name: 'runwire', 'dist-tags': { latest: version }, versions }));
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', () => resolve()));
  atFileEnd(() => void http.close());
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return { url, asked: () => asked };
}

/** Everything that a checkout can bring so that npm, npx, node or a shell runs something of it. */
async function hostileCheckout(): Promise<{ cwd: string; pwned: string; asked: () => number; brought: string[] }> {
  const cwd = folder();
  const pwned = join(folder(), 'pwned');
  const evil = `require('node:fs').appendFileSync(${JSON.stringify(pwned)}, 'x');`;
  const { url, asked } = await registry(evil);
  const program = `#!/bin/sh\necho "$0" >> ${pwned}\n`;
  const write = (name: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text, { mode });
  };
  const run = `node ${join(cwd, 'evil.cjs')}`;
  const scripts = Object.fromEntries(
    ['preinstall', 'install', 'postinstall', 'prepare', 'runwire', 'test'].map((name) => [name, run]),
  );
  write(
    '.npmrc',
    `registry=${url}\nnode-options=--require=${join(cwd, 'evil.cjs')}\nscript-shell=${join(cwd, 'sh')}\nprefix=${cwd}\ncache=${cwd}/cache\n`,
  );
  write('evil.cjs', evil);
  write(
    'package.json',
    JSON.stringify({
      name: 'runwire',
      version: '9.9.9',
      bin: 'evil.cjs',
      scripts,
      workspaces: ['*'],
      volta: { node: '1.0.0' },
    }),
  );
  for (const name of ['.nvmrc', '.node-version', '.tool-versions']) write(name, 'nodejs 1.0.0\n');
  for (const name of [
    'sh',
    'npm',
    'npx',
    'node',
    'runwire',
    'realpath',
    'mktemp',
    'git',
    'node_modules/.bin/runwire',
    'node_modules/.bin/npm',
    'node_modules/.bin/node',
  ])
    write(name, program, 0o755);
  writePackage(join(cwd, 'node_modules', 'runwire'), evil);
  write('.bashrc', `touch ${pwned}\n`);
  return { cwd, pwned, asked, brought: readdirSync(cwd).toSorted() };
}

it.each([
  ['with the settings of the workflow', {}, 0],
  ['with settings of the checkout', { NPM_CONFIG_USERCONFIG: '.npmrc' }, 0],
])('the action runs nothing of a hostile checkout, %s', async (_name, more, hostile) => {
  const { cwd, pwned, asked, brought } = await hostileCheckout();
  const own = await registry();
  const home = folder();
  writeFileSync(join(home, '.npmrc'), `registry=${own.url}\n`);
  const path = `${cwd}:${join(cwd, 'node_modules', '.bin')}:.:node_modules/.bin:${process.env['PATH']}`;
  const config = Object.fromEntries(Object.entries(more).map(([name, value]) => [name, join(cwd, value)]));
  const env = { HOME: home, ...config, ...('NPM_CONFIG_USERCONFIG' in more ? { npm_config_registry: own.url } : {}) };
  const inputs = { prompt: 'x', model: 'replay/none.jsonl', args: '--ledger\nnone\n' };
  const { status, outputs, said } = await runAction(inputs, { cwd, path, env });
  expect({
    pwned: existsSync(pwned) && readFileSync(pwned, 'utf8'),
    asked: asked(),
    brought: readdirSync(cwd).toSorted(),
  }).toEqual({
    pwned: false,
    asked: hostile,
    brought,
  });
  // Runwire itself was reached, and found no such recording.
  expect({ status, class: outputs['class'], own: own.asked() > 0, said }).toMatchObject({
    status: 1,
    class: 'config',
    own: true,
  });
});

it.each([{ prompt: '--help' }, { prompt: '-h' }, { prompt: 'x', expect: '--help' }])(
  'an input of the action is never a flag, with which nothing would run and the step be a success: %j',
  async (given) => {
    const inputs = { model: 'replay/none.jsonl', args: '--ledger\nnone\n', ...given };
    const { status } = await runAction(inputs, { cwd: folder(), path: `${folderWithNpm()}:${process.env['PATH']}` });
    expect(status).toBe('expect' in given ? 2 : 1);
  },
);

it.each(['latest', '^0.1.0', '1', '../evil', 'file:.', '0.1.0 evil', 'npm:evil@1.0.0'])(
  'is not installed by any other word: %j',
  async (word) => {
    const cwd = folder();
    const inputs = { prompt: 'x', version: word };
    const { status, said, outputs } = await runAction(inputs, { cwd, path: process.env['PATH'] ?? '' });
    expect({ status, said, outputs }).toEqual({
      status: 2,
      said: '::error title=runwire::"version" is an exact version such as 1.2.3, not a range or a tag\n',
      outputs: {},
    });
  },
);

it('without a version, the sources of the action itself run: nothing is installed from a registry', async () => {
  const inputs = { prompt: 'x', version: '', model: 'replay/none.jsonl', args: '--ledger\nnone\n' };
  const npm = folder();
  writeFileSync(join(npm, 'npm'), '#!/bin/sh\nexit 99\n', { mode: 0o755 });
  const { status, outputs } = await runAction(inputs, { cwd: folder(), path: `${npm}:${process.env['PATH']}` });
  expect({ status, class: outputs['class'] }).toEqual({ status: 1, class: 'config' });
});

it('pins every action of a workflow by its commit', () => {
  const root = join(import.meta.dirname, '..', '..', '..');
  const files = [
    '.github/workflows/release.yml',
    'examples/ci/github.yml',
    'examples/fleet/actions-matrix.yml',
    'action.yml',
  ];
  const used = files.flatMap((file) =>
    Array.from(readFileSync(join(root, file), 'utf8').matchAll(/uses: (\S+)/g), ([, name = '']) => name),
  );
  expect(used.filter((name) => !/@[\da-f]{40}$/.test(name))).toEqual(['runwire/runwire@v0']);
});
