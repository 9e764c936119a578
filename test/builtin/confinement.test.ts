import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocket, type AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseRules } from '../../src/builtin/permissions/rules.ts';
import { builtinTools, type BuiltinToolsOptions } from '../../src/builtin/tools/index.ts';
import { isPublicAddress } from '../../src/network/addresses.ts';
import { locate } from '../../src/builtin/permissions/workspace.ts';
import { callBuiltin, temporaryFolder } from '../support/tool-call.ts';

/** A working directory with everything around it that one could escape to. */
function house(): { around: string; cwd: string } {
  const around = temporaryFolder();
  const cwd = join(around, 'Room');
  for (const folder of ['Room/src/deep', 'room/src', 'Room-other', 'outside/inner'])
    mkdirSync(join(around, folder), { recursive: true });
  for (const file of ['Room/src/a.txt', 'room/src/a.txt', 'Room-other/a.txt', 'outside/a.txt', 'secret.txt'])
    writeFileSync(join(around, file), `in ${file}`);
  symlinkSync('../outside', join(cwd, 'to-folder'));
  symlinkSync('../outside/a.txt', join(cwd, 'to-file'));
  symlinkSync(join(around, 'outside', 'a.txt'), join(cwd, 'to-file-absolute'));
  symlinkSync('../outside/new.txt', join(cwd, 'to-nothing'));
  symlinkSync('to-folder', join(cwd, 'to-link'));
  symlinkSync('loop', join(cwd, 'loop'));
  symlinkSync('src/a.txt', join(cwd, 'to-inside'));
  symlinkSync('src', join(cwd, 'to-inside-folder'));
  symlinkSync('/proc/self/environ', join(cwd, 'to-proc'));
  symlinkSync('/dev/null', join(cwd, 'to-device'));
  symlinkSync('..', join(cwd, 'src', 'deep', 'up'));
  execFileSync('/bin/sh', ['-c', 'mkfifo fifo'], { cwd });
  return { around, cwd };
}

const fileTools: [string, (path: string) => Record<string, unknown>][] = [
  ['read', (path) => ({ path })],
  ['write', (path) => ({ path, content: 'changed' })],
  ['edit', (path) => ({ path, old_string: 'in', new_string: 'changed' })],
  ['grep', (path) => ({ path, pattern: '.' })],
  ['glob', (path) => ({ path, pattern: '**' })],
];

describe.each(fileTools)('%s stays inside', (tool, input) => {
  it.each<[string, (around: string) => string, string]>([
    ['dots', () => '../secret.txt', 'outside'],
    ['dots after a folder', () => 'src/../../secret.txt', 'outside'],
    ['dots after nothing', () => 'none/../../secret.txt', 'outside'],
    ['many dots', () => '../'.repeat(40) + 'etc/passwd', 'outside'],
    ['the folder above', () => '..', 'outside'],
    ['an absolute path', () => '/etc/passwd', 'outside'],
    ['the root', () => '/', 'outside'],
    ['a double slash', () => '//etc/passwd', 'outside'],
    ['a neighbour with the same beginning', (around) => join(around, 'Room-other', 'a.txt'), 'outside'],
    ['a neighbour in lower case', () => '../room/src/a.txt', 'outside'],
    ['an absolute path in upper case', (around) => join(around, 'ROOM', 'src', 'a.txt'), 'outside'],
    ['a link to a file', () => 'to-file', 'outside'],
    ['an absolute link', () => 'to-file-absolute', 'outside'],
    ['a link to a folder', () => 'to-folder/a.txt', 'outside'],
    ['a new file behind a link', () => 'to-folder/new/new.txt', 'outside'],
    ['a link to a link', () => 'to-link/a.txt', 'outside'],
    ['a link that leads nowhere', () => 'to-nothing', 'a link that leads nowhere'],
    ['below a link that leads nowhere', () => 'to-nothing/x', 'a link that leads nowhere'],
    ['a link to itself', () => 'loop', 'goes through a link'],
    ['a link to /proc', () => 'to-proc', 'outside'],
    ['/proc', () => '/proc/self/environ', 'outside'],
    ['/proc/self/root', (around) => `/proc/self/root${around}/secret.txt`, 'outside'],
    ['a device', () => '/dev/zero', 'outside'],
    ['a link to a device', () => 'to-device', 'outside'],
    ['home', () => '~/.ssh/id', '~ is not expanded'],
    ["somebody's home", () => '~root/x', '~ is not expanded'],
    ['a NUL byte', () => 'src/a.txt\0.png', 'a path cannot contain a NUL byte'],
    ['nothing', () => '', 'the path is empty'],
    ['a name without end', () => 'x'.repeat(5000), 'is too long a name'],
  ])('%s', async (_title, path, why) => {
    const { around, cwd } = house();
    const { status, output, drafts } = await callBuiltin(tool, input(path(around)), { cwd });
    expect({ status, output, drafts }).toEqual({ status: 'error', output: expect.stringContaining(why), drafts: [] });
    expect({
      secret: readFileSync(join(around, 'secret.txt'), 'utf8'),
      outside: readFileSync(join(around, 'outside', 'a.txt'), 'utf8'),
      created: ['outside/new.txt', 'outside/new'].filter((name) => existsSync(join(around, name))),
    }).toEqual({ secret: 'in secret.txt', outside: 'in outside/a.txt', created: [] });
  });
});

describe('inside', () => {
  it.each([
    ['to-inside', 'src/a.txt'],
    ['to-inside-folder/a.txt', 'src/a.txt'],
    ['./src//deep/../a.txt', 'src/a.txt'],
    ['src/deep/up/a.txt', 'src/a.txt'],
    ['to-inside-folder/new/b.txt', 'src/new/b.txt'],
    ['to-folder/inner/../../new.txt', 'new.txt'],
    ['..hidden', '..hidden'],
    ['src/...', 'src/...'],
    ['./~', '~'],
    ['', ''],
  ])('%j means %j, to rules and events as well', async (path, name) => {
    const { cwd } = house();
    const asked = path === '' ? join(cwd, 'src', 'a.txt') : path;
    const expected = name === '' ? 'src/a.txt' : name;
    const write = builtinTools({ permissions: parseRules('edit') }).find((each) => each.name === 'write');
    const need = write?.need(write.input.parse({ path: asked, content: '' }), { cwd });
    const { drafts } = await callBuiltin('write', { path: asked, content: 'changed' }, { cwd });
    expect({ need, drafts }).toEqual({
      need: { access: 'write', subject: expected },
      drafts: [expect.objectContaining({ type: 'file.edited', path: expected })],
    });
  });

  it.each(['read', 'write', 'edit'])(
    '%s does not touch a FIFO, a socket or a device, and does not hang',
    async (tool) => {
      const { cwd } = house();
      const server = createSocket().listen(join(cwd, 'socket'));
      onTestFinished(() => void server.close());
      const input = fileTools.find(([name]) => name === tool)?.[1] ?? (() => ({}));
      for (const path of ['fifo', 'socket']) {
        const { status, output } = await callBuiltin(tool, input(path), { cwd });
        expect({ status, output }).toEqual({ status: 'error', output: `${path} is not a regular file` });
      }
      const { status, output } = await callBuiltin(tool, input('null'), { cwd: '/dev' });
      expect({ status, output }).toEqual({ status: 'error', output: 'null is not a regular file' });
    },
  );

  it.each(['.git/hooks/pre-commit', '.GIT/config', 'sub/.git', 'src/../.git/x'])(
    'nothing is written to %s',
    async (path) => {
      const { cwd } = house();
      const { status, output } = await callBuiltin('write', { path, content: 'x' }, { cwd });
      expect({ status, output }).toEqual({
        status: 'error',
        output: expect.stringContaining('file tools do not write inside .git'),
      });
      expect(existsSync(join(cwd, path))).toBe(false);
    },
  );

  it('other folders are open when they are named, by their absolute path', async () => {
    const { around, cwd } = house();
    const permissions = parseRules('edit', [], [], ['../outside', '../none']);
    const path = join(around, 'outside', 'made.txt');
    const { output, drafts } = await callBuiltin(
      'write',
      { path: '../outside/made.txt', content: 'x' },
      { cwd, permissions },
    );
    expect({ output, path: drafts.map((draft) => draft.type === 'file.edited' && draft.path) }).toEqual({
      output: `created ${path} (+1 -0)`,
      path: [path],
    });
    const grepped = await callBuiltin('grep', { path: '../outside', pattern: 'in o' }, { cwd, permissions });
    expect(grepped.output).toBe(`${join(around, 'outside', 'a.txt')}:1:in outside/a.txt`);
    expect((await callBuiltin('read', { path: '../secret.txt' }, { cwd, permissions })).status).toBe('error');
  });

  it('a search does not follow links', async () => {
    const { cwd } = house();
    expect((await callBuiltin('grep', { pattern: '^in ' }, { cwd })).output).toBe('src/a.txt:1:in Room/src/a.txt');
    expect((await callBuiltin('glob', { pattern: '**/a.txt' }, { cwd })).output).toBe('src/a.txt');
  });

  it('a working directory that is a link is the folder it leads to', async () => {
    const { around, cwd } = house();
    symlinkSync('Room', join(around, 'door'));
    expect((await callBuiltin('read', { path: join(cwd, 'src/a.txt') }, { cwd: join(around, 'door') })).output).toBe(
      'in Room/src/a.txt\n',
    );
  });

  it('a second name of a file is changed in place, not replaced', async () => {
    const { cwd } = house();
    linkSync(join(cwd, 'src/a.txt'), join(cwd, 'twin'));
    await callBuiltin('write', { path: 'twin', content: 'both' }, { cwd });
    expect(readFileSync(join(cwd, 'src/a.txt'), 'utf8')).toBe('both');
  });

  it('whatever the path, the place is inside', () => {
    const { cwd } = house();
    const name = fc.constantFrom(
      '..',
      '.',
      '',
      'src',
      'deep',
      'up',
      'to-folder',
      'to-link',
      'to-inside-folder',
      'a.txt',
      'new',
      'inner',
      basename(cwd),
      'loop',
    );
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), fc.boolean(), (names, isAbsolute) => {
        let place: string;
        try {
          place = locate((isAbsolute ? `${cwd}/` : '') + names.join('/'), { cwd, directories: [] }).path;
        } catch {
          return;
        }
        const existing = existsSync(place) ? realpathSync(place) : place;
        expect({ names, isInside: `${place}/`.startsWith(`${cwd}/`) && existing === place }).toEqual({
          names,
          isInside: true,
        });
      }),
      { numRuns: 1000 },
    );
  });
});

describe('fetch stays on the public internet', () => {
  const get = async (
    url: string,
    network: BuiltinToolsOptions['network'] = {},
  ): Promise<{ status: string; output: string }> => {
    const { status, output } = await callBuiltin('fetch', { url }, { cwd: '/', network });
    return { status, output };
  };
  const refused = {
    status: 'error',
    output: expect.stringContaining('is not an address of the public internet; fetch goes nowhere else'),
  };
  const serve = async (answer: RequestListener): Promise<number> => {
    const server = createServer(answer);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close().closeAllConnections());
    return (server.address() as AddressInfo).port;
  };

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://127.255.255.254/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://１２７.0.0.1/',
    'http://127。0。0。1/',
    'http://0/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://100.64.0.1/',
    'http://100.127.255.255/',
    'http://169.254.169.254/latest/meta-data/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.0.0.192/',
    'http://192.168.1.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b::808:808]/',
    'http://[64:ff9b:1::1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001::1]/',
    'http://[2001:db8::1]/',
    'http://[fc00::1]/',
    'http://[fd12:3456::1]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://localhost/',
    'https://127.0.0.1/',
  ])('%s', async (url) => {
    expect(await get(url)).toEqual(refused);
  });

  it.each([
    ['file:///etc/passwd', 'file:///etc/passwd: only http and https can be fetched'],
    ['ftp://example.com/', 'ftp://example.com/: only http and https can be fetched'],
    ['data:text/plain,x', 'data:text/plain,x: only http and https can be fetched'],
    ['http://user@example.com/', 'example.com: an address with a user name or password is not fetched'],
    ['http://example.com@127.0.0.1/', '127.0.0.1: an address with a user name or password is not fetched'],
    ['example.com', 'example.com is not an address; give one such as https://example.com/page'],
    [
      'http://[fe80::1%25eth0]/',
      'http://[fe80::1%25eth0]/ is not an address; give one such as https://example.com/page',
    ],
  ])('%s', async (url, output) => {
    expect(await get(url)).toEqual({ status: 'error', output });
  });

  it.each([
    ['127.0.0.1', 4],
    ['10.0.0.1', 4],
    ['169.254.169.254', 4],
    ['::1', 6],
    ['::ffff:10.0.0.1', 6],
    ['fe80::1%eth0', 6],
    ['64:ff9b::a00:1', 6],
    ['not an address', 4],
  ])('a name that means %s', async (address, family) => {
    expect(await get('http://name.test/', { resolve: () => Promise.resolve([{ address, family }]) })).toEqual(refused);
  });

  it('a name that means a public address and a private one', async () => {
    const addresses = [
      { address: '93.184.215.14', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect(await get('http://name.test/', { resolve: () => Promise.resolve(addresses) })).toEqual({
      status: 'error',
      output: 'name.test, 127.0.0.1, is not an address of the public internet; fetch goes nowhere else',
    });
  });

  it.each(['http://127.0.0.1:1/', 'http://2130706433:1/', '//localhost:1/', 'http://[::1]:1/', 'http://inner.test/'])(
    'a redirect to %s',
    async (location) => {
      let asked = 0;
      const port = await serve((_request, response) => {
        asked += 1;
        response.writeHead(302, { location }).end();
      });
      const resolve = (): Promise<{ address: string; family: number }[]> =>
        Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
      expect(await get(`http://door.test:${port}/`, { resolve, allowPrivate: [`door.test:${port}`] })).toEqual(refused);
      expect(asked).toBe(1);
    },
  );

  it('a redirect to a file', async () => {
    const port = await serve(
      (_request, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    );
    expect(await get(`http://127.0.0.1:${port}/`, { allowPrivate: true })).toEqual({
      status: 'error',
      output: 'file:///etc/passwd: only http and https can be fetched',
    });
  });

  it('a name is asked for once, and its answer is what is connected to', async () => {
    const port = await serve((request, response) => void response.end(`for ${request.headers.host}`));
    const answers = ['127.0.0.1', '10.0.0.1'];
    const resolve = (): Promise<{ address: string; family: number }[]> =>
      Promise.resolve([{ address: answers.shift() ?? '', family: 4 }]);
    expect(await get(`http://door.test:${port}/`, { resolve, allowPrivate: ['door.test'] })).toEqual({
      status: 'success',
      output: `for door.test:${port}`,
    });
    expect(answers).toEqual(['10.0.0.1']);
  });

  it.each([
    ['8.8.8.8', true],
    ['93.184.215.14', true],
    ['172.15.255.255', true],
    ['172.32.0.0', true],
    ['100.63.255.255', true],
    ['100.128.0.0', true],
    ['2606:4700::1111', true],
    ['2a00:1450:4001::1', true],
    ['4000::1', false],
    ['', false],
    ['8.8.8', false],
  ])('%j is public: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });

  it('no IPv4 address is public inside IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '::', '64:ff9b::', '64:ff9b:1::'), (address, before) => {
        expect(isPublicAddress(before + address)).toBe(false);
      }),
    );
  });
});
