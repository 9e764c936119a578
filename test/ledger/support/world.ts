// Three machines and a server, each with an address of its own, in network namespaces. Started as the only process of a namespace of
// its own (see hosts.test.ts), so that all of it ends with it. Prints what happened as one JSON object.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openPostgres } from '../../../src/stores/postgres.ts';
import type { RunRecord } from '../../../src/stores/run-store.ts';
import { startPostgres } from '../../stores/support/postgres.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'runwire-hosts-'));
const network = '10.213.77';
let count = 0;
const sh = (command: string): string => execFileSync('sh', ['-ec', command], { encoding: 'utf8' });

interface Host {
  name: string;
  /** Runs `runwire` there. */
  runwire(args: readonly string[]): {
    done: Promise<{ stdout: string; stderr: string; status: number | null }>;
    kill(): void;
  };
  cut(): void;
  join(): void;
}

/** A machine: an address, a host name, a machine id, a space of processes, files, and a clock that may be wrong. */
function host(number: number, { hostname, ahead = 0 }: { hostname: string; ahead?: number }): Host {
  const name = `h${number}`;
  const home = join(folder, name);
  mkdirSync(home);
  const machineId = join(home, 'machine-id');
  writeFileSync(machineId, `${String(number).repeat(32)}\n`);
  const clock = join(home, 'clock.mjs');
  writeFileSync(clock, `const now = Date.now; Date.now = () => now() + ${ahead};\n`);
  sh(`ip netns add ${name}; ip link add ${name} type veth peer name eth0 netns ${name}; ip link set ${name} master wire up
    ip netns exec ${name} sh -ec 'ip addr add ${network}.${number + 10}/24 dev eth0; ip link set eth0 up; ip link set lo up'`);
  const boot = `hostname ${hostname}; mount --bind ${machineId} /etc/machine-id; touch ${home}/up; exec sleep 600`;
  const holder = ['--uts', '--pid', '--mount', '--fork', '--kill-child', '--mount-proc', 'sh', '-ec', boot];
  spawn('ip', ['netns', 'exec', name, 'unshare', ...holder], { stdio: 'ignore' }).unref();
  sh(`until [ -e ${home}/up ]; do sleep 0.05; done`);
  // The first process of the machine, as it is called here.
  const first = sh(
    `for each in $(ip netns pids ${name}); do [ "$(cat /proc/$each/comm)" != sleep ] || echo $each; done`,
  ).trim();
  return {
    name,
    runwire(args) {
      const pidFile = join(home, `pid-${(count += 1)}`);
      const words = [process.execPath, '--import', clock, join(root, 'bin', 'runwire.js'), ...args];
      const child = spawn(
        'nsenter',
        [
          '-t',
          first,
          '--net',
          '--uts',
          '--pid',
          '--mount',
          '--wd=/',
          'sh',
          '-ec',
          `cd ${home}; echo $$ > ${pidFile}; exec "$@"`,
          'sh',
          ...words,
        ],
        {
          env: { PATH: process.env['PATH'] ?? '', HOME: home, RUNWIRE_LEDGER: ledger },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
      const done = new Promise<{ stdout: string; stderr: string; status: number | null }>((resolve) => {
        child.on('close', (status) => resolve({ stdout, stderr, status }));
      });
      return { done, kill: () => void sh(`nsenter -t ${first} --pid --mount kill -9 $(cat ${pidFile})`) };
    },
    cut: () => void sh(`ip link set ${name} down`),
    join: () => void sh(`ip link set ${name} up`),
  };
}

/** An agent that works until it is told that it is enough, with an event every tenth of a second. */
function agent(name: string): string[] {
  const line = (value: object): string => `printf '%s\\n' '${JSON.stringify(value)}'`;
  return [
    '--',
    'sh',
    '-c',
    `${line({ type: 'thread.started', thread_id: 's-1' })}; ${line({ type: 'turn.started' })}; i=0; until [ -e ${enough(name)} ]; do i=$((i+1)); sleep 0.1
    printf '{"type":"item.completed","item":{"id":"i%s","type":"agent_message","text":"step %s"}}\\n' $i $i; done
    ${line({ type: 'item.completed', item: { id: 'last', type: 'agent_message', text: 'Done.' } })}
    ${line({ type: 'turn.completed', usage: { input_tokens: 100, cached_input_tokens: 0, output_tokens: 10 } })}`,
  ];
}

function enough(name: string): string {
  return join(folder, `${name}.enough`);
}

async function runsOf(from: Host): Promise<RunRecord[]> {
  const { stdout, stderr, status } = await from.runwire(['runs', 'export']).done;
  if (status !== 0) throw new Error(`runs export on ${from.name}: ${stderr}`);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RunRecord);
}

async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (let looks = 0; looks < 600; looks += 1, await sleep(100)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error('it did not happen');
}

sh(`ip link set lo up; mount -t tmpfs none /run; mkdir -p /run/netns
  ip link add wire type bridge; ip addr add ${network}.1/24 dev wire; ip link set wire up`);
const server = await startPostgres({ address: `${network}.1`, clients: `${network}.0/24` });
const ledger = server.url('fleet');
// Its tables are looked at before the first run has made them.
await (await openPostgres(ledger)).close();
const database = new pg.Client({ connectionString: ledger });
await database.connect();
try {
  const [alpha, beta, twin] = [
    host(1, { hostname: 'alpha' }),
    host(2, { hostname: 'beta', ahead: 3_600_000 }),
    host(3, { hostname: 'alpha', ahead: 3_600_000 }),
  ];
  const work = (on: Host, name: string, ...flags: string[]) =>
    on.runwire(['run', '--quiet', ...flags, '--label', `name=${name}`, ...agent(name)]);
  const works = { steady: work(alpha, 'steady'), cut: work(beta, 'cut'), lost: work(beta, 'lost', '--tapes', 'files') };
  const named = (runs: readonly RunRecord[]) =>
    Object.fromEntries(
      runs.map(({ labels, status, host: on, last_sequence, outcome }) => [
        labels['name'] ?? '',
        {
          status,
          on,
          last_sequence,
          why: outcome?.verdict.evidence.at(-1)?.detail,
          session: outcome?.session_id,
          answer: outcome?.message,
        },
      ]),
    );
  const begun = async () =>
    (await database.query("select 1 from fleet.runs where status = 'running' and last_sequence > 5")).rows.length ===
      3 || undefined;
  await until(begun);
  // A machine of the same name, with a clock that is an hour ahead, looks at the ledger: nobody is dead.
  const meanwhile = named(await runsOf(twin));
  // One machine is cut off in mid-run; one of its runs dies there. Eleven minutes go by, for the server.
  beta.cut();
  works.lost.kill();
  await works.lost.done;
  writeFileSync(enough('short'), '');
  const short = work(beta, 'short');
  await database.query("update fleet.runs set heard_at = heard_at - 660000 where host = 'beta'");
  const silent = named(await runsOf(alpha));
  await short.done;
  // It is back: what goes on there is heard of again, what died there is told from its tape, what ended there is delivered.
  beta.join();
  const back = await until(async () => {
    // The network takes a moment.
    const runs = named(await runsOf(beta).catch(() => []));
    return runs['cut']?.status === 'running' && runs['short'] !== undefined ? runs : undefined;
  });
  for (const name of ['steady', 'cut']) writeFileSync(enough(name), '');
  const ended = await Promise.all([works.steady.done, works.cut.done]);
  const after = named(await runsOf(twin));
  const verified = await beta.runwire(['runs', 'verify']).done;
  console.log(
    JSON.stringify({
      meanwhile,
      silent,
      back,
      after,
      statuses: ended.map(({ status }) => status),
      short: (await short.done).stderr,
      verified,
    }),
  );
} finally {
  await database.end().catch(() => {});
  await server.remove();
  execFileSync('rm', ['-rf', folder]);
}
