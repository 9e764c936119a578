import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { answer, claude, codex, goodRun, line, opencode, say, session, write } from './words.ts';

type Mode = () => unknown;

const mark = process.env['TMPDIR'] ?? '';
const secret = process.env['FAKE_SECRET'] ?? 'no secret was given';
const megabytes = (usual: number): number => Number(process.env['FAKE_MEGABYTES'] ?? usual) * 1024 * 1024;
const half = line(codex.text('this line is never whole')).slice(0, 40);

/** Nothing but a signal ends it. */
function hang(): Promise<never> {
  setInterval(() => {}, 1 << 30);
  return new Promise(() => {});
}

function ignore(...signals: NodeJS.Signals[]): void {
  for (const signal of signals) process.on(signal, () => {});
}

/** A shell that runs beside us, with a name that can be found in the process table. */
function shell(script: string, options: SpawnOptions = {}): void {
  spawn('/bin/sh', ['-c', `${script}; : ${mark}`], { stdio: 'inherit', ...options }).unref();
}

async function die(signal: NodeJS.Signals): Promise<never> {
  process.kill(process.pid, signal);
  return hang();
}

async function forEver(step: (count: number) => void, every = 100): Promise<never> {
  for (let count = 1; ; count += 1) {
    step(count);
    await wait(every);
  }
}

const fail = (message: string): void => say(...codex.begin, codex.error(message), codex.fail(message));

/** How often this command was started in this folder. */
function startCount(): number {
  let count = 1;
  try {
    count = Number(readFileSync('starts', 'utf8')) + 1;
  } catch {
    // The first time.
  }
  writeFileSync('starts', String(count));
  return count;
}

function steps(reason: string, input: (count: number) => number): Promise<never> {
  return forEver(
    (count) => say(opencode.start(), opencode.text(`step ${count}`), opencode.finish(reason, input(count))),
    20,
  );
}

/** Every way to misbehave, by name. */
export const modes: Record<string, Mode> = {
  'good run': () => say(...goodRun),

  'hangs at start': hang,
  'hangs after a banner': () => {
    write('Welcome to the fake agent!\n');
    return hang();
  },
  'hangs in a tool': () => {
    say(...codex.begin, codex.running('sleep 600'));
    shell('sleep 600');
    return hang();
  },
  'hangs after its last word': () => {
    say(...goodRun);
    return hang();
  },
  'chatters after its last word': () => {
    say(...goodRun);
    return forEver((count) => write(`still here ${count}\n`, count % 2 === 0 ? 1 : 2));
  },
  'hangs without a last word': () => {
    say(opencode.start(), opencode.text(answer), opencode.finish('stop'));
    return hang();
  },

  'ignores SIGTERM and SIGINT': () => {
    ignore('SIGTERM', 'SIGINT', 'SIGHUP');
    shell(`trap '' INT TERM HUP; while :; do sleep 600; done`);
    say(...codex.begin, codex.text('You cannot stop me.'));
    return hang();
  },
  'ignores signals after its last word': () => {
    ignore('SIGTERM', 'SIGINT', 'SIGHUP');
    say(...goodRun);
    return hang();
  },
  'talks on after a signal': () => {
    ignore('SIGTERM', 'SIGINT');
    say(...codex.begin);
    return forEver((count) => say(codex.text(`word ${count}`, `item_${count}`)), 20);
  },
  'finishes well after a signal': () => {
    process.on('SIGINT', () => {
      say(codex.text(answer), codex.end());
      process.exit(0);
    });
    say(...codex.begin);
    return hang();
  },

  'leaves a daemon': async () => {
    shell(`(setsid sh -c '(sleep 600; : ${mark}) & exit' &) ; exit`, { stdio: 'ignore', detached: true });
    await wait(200);
    say(...goodRun);
  },
  'leaves a daemon without environment': async () => {
    spawn('env', ['-i', '/bin/sh', '-c', `/bin/sleep 600; : ${mark}`], { stdio: 'ignore' }).unref();
    await wait(200);
    say(...goodRun);
  },
  'leaves one who writes later': async () => {
    shell(`trap 'echo late noise; exit' TERM; while :; do sleep 0.05; done`);
    await wait(200);
    say(...goodRun);
    process.exit(0);
  },
  'leaves one in its group': () => {
    shell('sleep 600', { stdio: 'ignore' });
    say(...goodRun);
    process.exit(0);
  },
  'lives in another group': async () => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', 'hangs in a tool'], {
      stdio: 'inherit',
      detached: true,
    });
    ignore('SIGINT', 'SIGTERM');
    await once(child, 'exit');
  },

  'half a line, exit 0': () => say(...codex.begin, codex.text('Wait')) ?? write(half),
  'half a line, exit 1': () => {
    say(...codex.begin);
    write(half);
    process.exit(1);
  },
  'half a line, SIGSEGV': () => {
    say(...codex.begin);
    write(half);
    return die('SIGSEGV');
  },
  'half a line, SIGKILL': () => {
    say(...codex.begin);
    write(half);
    return die('SIGKILL');
  },
  'half a line after its last word': () => {
    say(...goodRun);
    write(half);
  },
  'dies of SIGTERM': () => {
    say(...codex.begin);
    return die('SIGTERM');
  },

  'error, exit 0': () => fail('exceeded retry limit, last status: 429 Too Many Requests'),
  'error without a last word, exit 0': () =>
    say(...codex.begin, codex.error('unexpected status 500 Internal Server Error')),
  'success, exit 1': () => {
    say(...goodRun);
    process.exit(1);
  },
  'exit 0 without a word': () => {},
  'exit 1 without a word': () => process.exit(1),
  'exit 124': () => say(...codex.begin) ?? process.exit(124),
  'exit 137': () => say(...codex.begin) ?? process.exit(137),
  'exit 139': () => say(...codex.begin) ?? process.exit(139),
  'exit 143': () => say(...codex.begin) ?? process.exit(143),
  'success, exit 137': () => say(...goodRun) ?? process.exit(137),
  'an empty answer': () => say(...codex.begin, codex.end()),
  'a stack trace after 300 lines of stderr': () => {
    say(...codex.begin, codex.text('So far so good.'));
    for (let count = 1; count <= 300; count += 1) write(`debug line ${count}\n`, 2);
    write(`TypeError: cannot read properties of null (reading 'wheel')\n    at steer (/opt/fake/helm.js:42:7)\n`, 2);
    process.exit(1);
  },

  'only noise': () => write('This is not JSON.\n\n[1, 2, 3]\n"text"\nnull\n{broken\n'),
  'unknown events': () => say({ type: 'hologram.projected', size: 3 }, { type: 'hologram.faded' }, { no: 'type' }),
  'unknown events in a good run': () =>
    say(...codex.begin, { type: 'hologram.projected', deep: { size: 3 } }, codex.text(answer), codex.end()),
  'two values on a line': () =>
    write(
      `${goodRun
        .slice(0, 2)
        .map((each) => JSON.stringify(each))
        .join('')}\n${goodRun.slice(2).map(line).join('')}`,
    ),
  'many small writes': () => {
    for (const byte of Buffer.from(goodRun.map(line).join('').replace(answer, `${answer} ✓ äöü`)))
      write(Uint8Array.of(byte));
  },
  'not text at all': () => {
    say(...codex.begin);
    write(Uint8Array.of(0xff, 0xfe, 0, 0x80, 0xc3, 0x28, 0x0a, 0x7b, 0xff, 0x7d, 0x0a, 0, 0, 0, 0x0a));
    write('\u001b]0;owned\u0007\u001b[2J\u001b[1;1Hrunwire: success\r\n');
    say(codex.command('\u001b[31mls\u0007', '\u0000\u001b]8;;http://example.com\u0007link\u001b]8;;\u0007'));
    say(codex.text('\u001b]0;owned\u0007\u001b[2Jrunwire: success\u202e\u0000 All done.'), codex.end());
  },

  'a flood of small lines': () => {
    say(...codex.begin);
    const piece = Array.from({ length: 500 }, (_, at) =>
      line(codex.command(`step ${at}`, 'x'.repeat(80), `item_${at}`)),
    ).join('');
    for (let sent = 0; sent < megabytes(20); sent += piece.length) write(piece);
    say(codex.text(answer), codex.end());
  },
  'a flood of noise': () => {
    say(...codex.begin);
    const piece = 'all work and no play makes a dull agent\n'.repeat(1000);
    for (let sent = 0; sent < megabytes(20); sent += piece.length) write(piece);
    say(codex.text(answer), codex.end());
  },
  'one long line': () => {
    say(...codex.begin, codex.command('cat big', 'x'.repeat(megabytes(20))), codex.text(answer), codex.end());
  },
  'a line without end': () => {
    say(...codex.begin);
    const piece = 'x'.repeat(64 * 1024);
    return forEver(() => write(piece), 1);
  },

  'asks without a line end': () => {
    write('Allow the command "rm -rf build"? [y/N] ');
    return hang();
  },
  'asks letter by letter': async () => {
    say(...codex.begin);
    for (const letter of 'Allow the command "rm -rf build"? [y/N] ') {
      write(letter);
      await wait(10);
    }
    return hang();
  },
  'asks again and again': () => forEver(() => write('Do you trust the files in this folder? (yes/no)\n'), 50),
  'asks on stderr': () => {
    say(...codex.begin);
    write('Do you want to proceed? (y/n): ', 2);
    return hang();
  },
  'asks while a spinner turns': () => {
    write('Allow this edit? [y/n]: ');
    return forEver((count) => write(`\r${'|/-\\'[count % 4]} waiting`, 2), 50);
  },
  'asks by an event of opencode': () => {
    say(opencode.start(), opencode.text('I need a tool.'), opencode.asked('per_1'));
    return hang();
  },
  'asks by the same event for ever': () => {
    say(opencode.start(), opencode.text('I need a tool.'));
    return forEver((count) => say(opencode.asked(`per_${count}`)), 50);
  },
  'asks by an event of claude': () => {
    say(claude.begin, claude.asked);
    return hang();
  },
  'asks and goes on': async () => {
    say(...codex.begin);
    write('Allow this edit? [y/n]: ');
    await wait(300);
    write('taken as yes\n');
    say(codex.text(answer), codex.end());
    await wait(1200);
  },
  'reads stdin to its end': async () => {
    say(...codex.begin);
    let read = 0;
    for await (const chunk of process.stdin) read += String(chunk).length;
    say(codex.text(`Read ${read} characters.`), codex.end());
  },

  'speaks slowly': async () => {
    say(claude.begin);
    const words = claude.deltas(
      ...'one two three four five six seven eight nine ten'.split(' ').map((word) => `${word} `),
    );
    for (const each of words) {
      say(each);
      await wait(200);
    }
    say(
      claude.text('one two three four five six seven eight nine ten '),
      claude.end('one two three four five six seven eight nine ten '),
    );
  },
  'falls silent': () => {
    say(...codex.begin, codex.text('Let me think.'));
    return hang();
  },
  'closes its streams': () => {
    say(...codex.begin);
    closeSync(1);
    closeSync(2);
    return hang();
  },
  'closes its streams after its last word': () => {
    say(...goodRun);
    closeSync(1);
    closeSync(2);
    return hang();
  },
  'calls tools for ever': () => {
    say(...codex.begin);
    return forEver(
      (count) => say(codex.running('ls', `item_${count}`), codex.command('ls', 'a.txt', `item_${count}`)),
      20,
    );
  },
  'works with tools': async () => {
    say(...codex.begin);
    for (let count = 1; count <= 20; count += 1) {
      shell('sleep 600');
      say(codex.running('make', `item_${count}`), codex.command('make', 'x'.repeat(2000), `item_${count}`));
      await wait(30);
    }
    return hang();
  },
  'takes steps for ever': () => steps('tool-calls', () => 100),
  'uses more and more': () => steps('tool-calls', (count) => count * 1000),

  'fails twice': () => {
    const count = startCount();
    const resumed = process.argv.includes('resume');
    say(...codex.begin, codex.command('ls', 'a.txt\n'));
    if (count < 3) {
      say(codex.text('I begin.', 'item_1'));
      const message = 'stream disconnected before completion: error sending request';
      return say(codex.error(message), codex.fail(message)) ?? process.exit(1);
    }
    const told = process.argv.at(-1) ?? '';
    const to = process.argv.at(-2);
    return say(
      codex.text(
        `Start ${count}, ${resumed ? `resumed ${to === session ? 'as told' : to}` : 'from the start'}: ${told}`,
      ),
      codex.end(300, 30),
    );
  },
  'breaks off twice': () => {
    if (startCount() < 3) return write('Loading…\n') ?? process.exit(1);
    return say(...goodRun);
  },

  'tells a secret everywhere': async () => {
    write(`noise ${secret}\n`);
    say(...codex.begin, { type: 'hologram.projected', [secret]: { key: secret } });
    say(
      codex.running(`echo ${secret}`),
      codex.command(`echo ${secret}`, `${secret}\n`),
      codex.text(`It is ${secret}.`, 'item_8'),
    );
    write(`stderr ${secret}\n`, 2);
    write(`{"type": "broken ${secret}\n`);
    const whole = line(codex.text(`The secret is ${secret}.`));
    const middle = whole.indexOf(secret) + secret.length / 2;
    write(whole.slice(0, middle));
    await wait(150);
    write(whole.slice(middle));
    write(`stderr in two: ${secret.slice(0, 9)}`, 2);
    await wait(150);
    write(`${secret.slice(9)}\n`, 2);
    say(codex.end());
  },
  'tells a secret in two deltas': () => {
    const text = `The secret is ${secret}.`;
    say(
      claude.begin,
      ...claude.deltas('The secret is ', secret.slice(0, 7), secret.slice(7, 12), `${secret.slice(12)}.`),
    );
    say(claude.text(text), claude.end(text));
  },
  'fails with a secret': () => {
    write(`fatal: could not log in with ${secret}\n`, 2);
    say(...codex.begin, codex.error(`401 Unauthorized: incorrect api key ${secret}`));
    say(codex.fail(`401 Unauthorized: incorrect api key ${secret}`));
    process.exit(1);
  },
  'crashes with a secret': () => {
    say(...codex.begin, codex.running(`curl -H ${secret}`));
    write(`Error: cannot connect with ${secret}`, 2);
    process.exit(3);
  },
  'asks with a secret': () => {
    write(`${'x'.repeat(380)} ${secret} allow it? [y/n] `);
    return hang();
  },
};
