import { spawn } from 'node:child_process';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { closeSync, existsSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure, messageOf } from '../failure.ts';
import { shellScript } from '../files/shell-script.ts';
import { type Border, bordered, canAdminister } from '../processes/confined.ts';
import { systemTool } from '../processes/namespace.ts';
import { patient } from '../processes/patience.ts';
import { printed } from '../processes/printed.ts';
import { quote } from '../processes/quote.ts';
import { systemFolders } from '../processes/trusted.ts';
import { unroutedIn } from './counters.ts';
import { processAt } from './who.ts';

const patienceMs = patient(20_000);
/** A script is one argument, which may have 128 KiB. */
const mostPathBytes = 64 * 1024;
const resolverConfig = '/etc/resolv.conf';

const loopback = shellScript(import.meta.dirname, 'scripts/loopback.sh');

/** What a network has that leads out of it. Opened inside; what is sent there arrives here. */
export interface Doors {
  gateway: Server;
  proxy: Server;
  /** Where names are asked for. */
  names: Socket;
}

/**
 * Opens the doors on the loopback of its network, hands them over, and stays until its network is held elsewhere. A socket belongs to
 * the network that it was opened in, whoever reads from it: so nothing has to be forwarded.
 */
const opener = `
const { createServer } = require('node:net');
const { createSocket } = require('node:dgram');
const hand = (name, door) => new Promise((resolve, reject) => {
  door.once('error', reject).once('listening', () => process.send(name, door, (error) => error ? reject(error) : resolve()));
});
process.once('disconnect', () => process.exit());
(async () => {
  for (const name of ['gateway', 'proxy']) await hand(name, createServer().listen(0, '127.0.0.1'));
  const names = createSocket('udp4');
  names.bind(53, '127.0.0.1');
  await hand('names', names);
  process.send('open');
})().catch((error) => { console.error(error.message); process.exit(1); });
`;

/** A network with nothing but loopback, and a few doors that lead to us. */
export class OwnNetwork implements Border {
  readonly doors: Doors;
  readonly hasOwnUsers: boolean;
  readonly variables: Record<string, string> = {};
  readonly #namespaces: ReadonlyMap<string, number>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'runwire-network-'));

  private constructor(namespaces: ReadonlyMap<string, number>, doors: Doors) {
    this.#namespaces = namespaces;
    this.hasOwnUsers = namespaces.has('user');
    this.doors = doors;
    writeFileSync(join(this.#folder, 'resolv.conf'), 'nameserver 127.0.0.1\noptions timeout:2 attempts:1\n');
  }

  /** Throws a `config` failure where the system has no such thing, found out by trying. */
  static async open(): Promise<OwnNetwork> {
    if (process.platform !== 'linux') throw new Failure('config', 'only Linux has networks for single processes');
    const missing = ['unshare', 'nsenter', ...(canAdminister() ? ['setpriv'] : [])].find(
      (name) => systemTool(name) === undefined,
    );
    if (missing !== undefined) throw new Failure('config', `${missing} is not installed`);
    const network = await made((namespaces, doors) => new OwnNetwork(namespaces, doors));
    try {
      await network.#try();
      return network;
    } catch (error) {
      network.close();
      throw error;
    }
  }

  get enter(): string[] {
    // The credentials are those of the only user there is.
    return [
      '--preserve-credentials',
      ...[...this.#namespaces].map(([kind, file]) => `--${kind}=/proc/${process.pid}/fd/${file}`),
    ];
  }

  sockets(): string[] {
    const paths = [...new Set(socketsIn(readFileSync('/proc/net/unix', 'utf8')))];
    if (Buffer.byteLength(paths.join(' ')) > mostPathBytes)
      throw new Failure(
        'config',
        `${paths.length} sockets have a path on this system: they are too many to be covered`,
      );
    return paths;
  }

  get mounts(): readonly string[] {
    return existsSync(resolverConfig)
      ? [`mount --bind ${quote(join(this.#folder, 'resolv.conf'))} ${resolverConfig}`]
      : [];
  }

  /** The name of the process inside that has this port. */
  processAt(protocol: 'tcp' | 'udp', port: number | undefined): string | undefined {
    const file = this.#namespaces.get('net');
    return file === undefined || port === undefined ? undefined : processAt(fstatSync(file).ino, protocol, port);
  }

  /** How often something was sent from inside to where no network leads; undefined: the system does not say. */
  async unrouted(): Promise<number | undefined> {
    const args = [...this.enter, '--', '/bin/cat', '/proc/net/snmp', '/proc/net/snmp6'];
    const program = { command: systemTool('nsenter') ?? 'nsenter', args, cwd: '/', env: { PATH: systemFolders } };
    const { stdout } = await printed(program, patienceMs).catch(() => ({ stdout: '' }));
    return unroutedIn(stdout);
  }

  /** What is in it keeps it; nobody enters any more. */
  close(): void {
    for (const file of this.#namespaces.values()) closeSync(file);
    closeDoors(this.doors);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Nothing is promised that was not seen to work. */
  async #try(): Promise<void> {
    const order = {
      command: '/bin/cat',
      args: ['/proc/net/dev', '/proc/net/route'],
      cwd: '/',
      env: { PATH: systemFolders },
    };
    const { stdout, stderr, exitCode } = await printed(bordered(order, this), patienceMs);
    if (exitCode !== 0) throw new Failure('config', stderr.trim().split('\n', 1)[0] || `exit code ${exitCode}`);
    const devices = stdout.split('\n').map((line) => line.split(':', 1)[0]?.trim());
    // Some kernels put tunnels that lead nowhere into every network; no route leads to them.
    const routes = stdout.split('\n').filter((line) => /^\S+\t[0-9A-F]{8}\t/.test(line));
    if (!devices.includes('lo')) throw new Failure('config', 'a network that was made for a try has no loopback');
    if (routes.length > 0) throw new Failure('config', 'a network that was made for a try leads somewhere');
  }
}

/** Absolute paths only: nobody knows where others are, and what begins with @ belongs to one network. */
export function socketsIn(table: string): string[] {
  return table.split('\n').flatMap((line) => /^(?:\S+ +){6}\d+ (\/.*)$/.exec(line)?.[1] ?? []);
}

function closeDoors(doors: Partial<Doors>): void {
  for (const door of Object.values(doors)) {
    try {
      door.close();
    } catch {
      // Whoever used it has closed it.
    }
  }
}

async function made<Made>(make: (namespaces: Map<string, number>, doors: Doors) => Made): Promise<Made> {
  const hasOwnUsers = !canAdminister();
  const user = hasOwnUsers ? ['--user', '--map-root-user'] : [];
  const inside = ['/bin/sh', '-c', loopback, 'sh', process.execPath, '-e', opener];
  const child = spawn(systemTool('unshare') ?? 'unshare', [...user, '--net', '--', ...inside], {
    cwd: '/',
    env: { PATH: systemFolders },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => void (complaint += complaint === '' ? text : ''));
  const doors: Partial<Doors> = {};
  const opened = new Promise<boolean>((resolve) => {
    child.on('message', (message, door) => {
      if (message === 'open') resolve(true);
      else Object.assign(doors, { [String(message)]: door });
    });
    child.once('close', () => resolve(false));
    child.once('error', (error) => {
      complaint = messageOf(error);
      resolve(false);
    });
  });
  const isOpen = await opened;
  const { gateway, proxy, names } = doors;
  if (!isOpen || gateway === undefined || proxy === undefined || names === undefined) {
    closeDoors(doors);
    child.kill('SIGKILL');
    throw new Failure('config', complaint.trim().split('\n', 1)[0] || 'a network of its own could not be made');
  }
  for (const door of [gateway, proxy, names]) door.unref();
  const kinds = hasOwnUsers ? ['user', 'net'] : ['net'];
  const namespaces = new Map(kinds.map((kind) => [kind, openSync(`/proc/${child.pid}/ns/${kind}`, 'r')]));
  const gone = once(child, 'exit');
  child.disconnect();
  await gone;
  return make(namespaces, { gateway, proxy, names });
}
