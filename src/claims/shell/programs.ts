import type { Simple } from './parse.ts';

/** A program as it is really run: without what only stands before it. */
export interface Program {
  name: string;
  args: string[];
  /** Variables that are set for it. */
  env: string[];
  /** The script of `sh -c`, which is a list of commands of its own. */
  script?: string;
  /** Flags that a `sh -c` sets: `-e`, `-o pipefail`. */
  isStrict?: boolean;
  /** It gets its arguments from another command (`xargs`, `find -exec`). */
  isFed?: boolean;
  /** It outlives the call. */
  isDetached?: boolean;
  /** It runs elsewhere: in a container, on another machine. */
  isRemote?: boolean;
}

const assignment = /^[A-Za-z_]\w*\+?=/;
const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish']);

/** How many words stand before the real program, with the flags that take a value. */
const plainWrappers: Record<string, readonly string[]> = {
  time: ['-f', '-o', '--format', '--output'],
  nice: ['-n', '--adjustment'],
  ionice: ['-c', '-n', '-p'],
  chrt: ['-p'],
  nohup: [],
  setsid: [],
  stdbuf: ['-i', '-o', '-e'],
  sudo: ['-u', '-g', '-h', '-C'],
  doas: ['-u'],
  command: [],
  builtin: [],
  exec: ['-a'],
  caffeinate: [],
  'xvfb-run': ['-s', '-n', '--server-args'],
  unbuffer: [],
  gtime: ['-f', '-o'],
  'dbus-run-session': [],
  fakeroot: [],
  npx: ['-p', '--package', '-c', '--call', '-w', '--workspace'],
  bunx: [],
  pnpx: [],
  uvx: ['--from', '--with', '--python', '-p'],
  dotenv: ['-e', '-f'],
  'cross-env': [],
  'env-cmd': ['-f'],
  'with-env': [],
  proxychains: [],
  strace: ['-o', '-e', '-f'],
  catchsegv: [],
  chronic: [],
  ts: [],
};

/** Two words that run what follows: `uv run pytest`. */
const twoWords: Record<string, readonly string[]> = {
  uv: ['run'],
  poetry: ['run'],
  pipenv: ['run'],
  pdm: ['run'],
  rye: ['run'],
  hatch: ['run'],
  conda: ['run'],
  mamba: ['run'],
  micromamba: ['run'],
  pixi: ['run'],
  bundle: ['exec'],
  npm: ['exec', 'x'],
  pnpm: ['exec', 'dlx', 'x'],
  yarn: ['exec', 'dlx'],
  bun: ['x'],
  mise: ['exec', 'x'],
  asdf: ['exec'],
  rtx: ['exec'],
  volta: ['run'],
  fnm: ['exec'],
  opam: ['exec'],
  stack: ['exec'],
  cabal: ['exec'],
  direnv: ['exec'],
  devbox: ['run'],
  doppler: ['run'],
  nix: ['develop', 'shell'],
  dotnet: ['tool'],
  coverage: ['run'],
};
const valued = new Set(
  '-n --name -p --project --directory --prefix -C --cwd --python --with --from --package --env-file --extra --group -w --workspace --filter -F --config -c'.split(
    ' ',
  ),
);

/** What a simple command runs. Undefined: it only sets variables or redirects. */
export function programOf({ words }: Simple): Program | undefined {
  return unwrapped(words, { name: '', args: [], env: [] }, 0);
}

function unwrapped(words: readonly string[], found: Program, depth: number): Program | undefined {
  let at = 0;
  while (assignment.test(words[at] ?? '')) found.env.push(words[at++] ?? '');
  const first = words[at];
  if (first === undefined || depth > 10) return undefined;
  const name = baseName(first);
  const rest = words.slice(at + 1);
  const again = (from: readonly string[]): Program | undefined => unwrapped(from, found, depth + 1);
  if (name === 'env') return again(afterFlags(rest, ['-u', '-C', '-S']));
  if (name === 'timeout' || name === 'gtimeout')
    return again(afterFlags(rest, ['-s', '-k', '--signal', '--kill-after']).slice(1));
  if (name === 'nohup' || name === 'setsid') found.isDetached = true;
  if (name === 'xargs') {
    found.isFed = true;
    return (
      again(
        afterFlags(rest, ['-n', '-I', '-P', '-L', '-d', '-s', '-a', '-E', '--max-args', '--max-procs', '--delimiter']),
      ) ?? { ...found, name, args: [...rest] }
    );
  }
  if (name === 'find') {
    const exec = rest.findIndex((word) => /^-exec(?:dir)?$/.test(word));
    if (exec !== -1) {
      found.isFed = true;
      return again(rest.slice(exec + 1).filter((word) => word !== ';' && word !== '+' && word !== '{}'));
    }
  }
  if (Object.hasOwn(plainWrappers, name)) {
    const inside = afterFlags(rest, plainWrappers[name] ?? []);
    return inside.length === 0 ? { ...found, name, args: rest } : again(inside);
  }
  // `script -c "pytest" /dev/null`, `su -c`: the command is one word.
  if (name === 'script' || name === 'su' || name === 'runuser') {
    const flag = rest.findIndex((word) => /^-[a-z]*c$/.test(word) || word === '--command');
    const script = flag === -1 ? undefined : rest[flag + 1];
    return script === undefined ? { ...found, name, args: rest } : { ...found, name, args: [], script };
  }
  if (shells.has(name)) return shellOf(name, rest, found);
  if (/^(?:python[\d.]*|py|pypy3?)$/.test(name)) {
    const bare = afterFlags(rest, ['-W', '-X'], ['-m', '-c']);
    if (bare[0] === '-m' && bare[1] !== undefined)
      return bare[1] === 'coverage' && bare[2] === 'run' ? again([first, ...bare.slice(3)]) : again(bare.slice(1));
    return { ...found, name: 'python', args: [...bare] };
  }
  if (name === 'coverage' && rest[0] === 'run') return again(['python', ...rest.slice(1)]);
  if (name === 'docker' || name === 'podman' || name === 'docker-compose' || name === 'kubectl') {
    const inside = insideContainer(name, rest);
    if (inside !== undefined) {
      found.isRemote = true;
      return again(inside);
    }
  }
  const verbs = Object.hasOwn(twoWords, name) ? twoWords[name] : undefined;
  if (verbs !== undefined) {
    const bare = afterFlags(rest, [...valued]);
    if (bare[0] !== undefined && verbs.includes(bare[0])) {
      let inside = afterFlags(bare.slice(1), [...valued]);
      if (name === 'direnv') inside = inside.slice(1);
      if (inside.length > 0) return again(inside);
    }
  }
  return { ...found, name, args: rest };
}

function shellOf(name: string, rest: readonly string[], found: Program): Program {
  let isStrict = found.isStrict === true;
  for (const [at, word] of rest.entries()) {
    if (!word.startsWith('-') && !word.startsWith('+')) {
      if (rest[at - 1] === '-o' || /^-[a-z]*o$/.test(rest[at - 1] ?? '')) {
        isStrict ||= word === 'pipefail';
        continue;
      }
      // The program is the script itself.
      return { ...found, name: word, args: rest.slice(at + 1), ...(isStrict ? { isStrict } : {}) };
    }
    if (/^-[a-z]*c$/.test(word)) {
      // The script may stand behind more flags.
      const script = rest.slice(at + 1).find((each) => !/^-[a-z]*$/.test(each) && each !== 'pipefail');
      isStrict ||= rest.includes('pipefail');
      if (script !== undefined) return { ...found, name, args: [], script, ...(isStrict ? { isStrict } : {}) };
    }
  }
  return { ...found, name, args: [...rest] };
}

function insideContainer(name: string, rest: readonly string[]): readonly string[] | undefined {
  const takes = [
    '-e',
    '--env',
    '-u',
    '--user',
    '-w',
    '--workdir',
    '-v',
    '--volume',
    '-f',
    '--file',
    '-p',
    '--project-name',
    '-n',
    '--namespace',
    '-c',
    '--network',
    '--entrypoint',
    '--name',
  ];
  let bare = afterFlags(rest, takes);
  if (name === 'docker' && bare[0] === 'compose') bare = afterFlags(bare.slice(1), takes);
  if (bare[0] !== 'exec' && bare[0] !== 'run') return undefined;
  const inside = afterFlags(bare.slice(1), takes).slice(1);
  const command = inside[0] === '--' ? inside.slice(1) : inside;
  return command.length === 0 ? undefined : command;
}

/** What follows the leading flags; `takes` need a value, `stops` are not passed over. */
export function afterFlags(
  words: readonly string[],
  takes: readonly string[],
  stops: readonly string[] = [],
): readonly string[] {
  let at = 0;
  for (;;) {
    const word = words[at];
    if (word === undefined || stops.includes(word)) break;
    if (word === '--') {
      at += 1;
      break;
    }
    if (assignment.test(word)) at += 1;
    else if (!word.startsWith('-') || word === '-') break;
    else at += takes.includes(word) ? 2 : 1;
  }
  return words.slice(at);
}

/** A program's own name: without its folder where that says nothing, as in `node_modules/.bin/jest`. */
function baseName(word: string): string {
  const last = word.slice(word.lastIndexOf('/') + 1);
  const known =
    /(?:^|\/)(?:node_modules\/\.bin|vendor\/bin|\.?venv\/bin|env\/bin|usr\/(?:local\/)?bin|bin|sbin|\.cargo\/bin|go\/bin|\.bin)\/[^/]+$/;
  if (
    !word.includes('/') ||
    known.test(word) ||
    /^(?:\.\/)?(?:gradlew|mvnw|manage\.py|artisan|sbtw?|rebar3|pants|bazelisk|configure)$/.test(word)
  )
    return last.replace(/\.(?:exe|cmd|bat)$/, '');
  return word;
}
