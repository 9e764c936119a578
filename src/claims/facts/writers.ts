import { afterFlags, type Program } from '../shell/programs.ts';
import type { Started } from './exits.ts';

/** A change of a file, as a command or a tool asks for it. */
export interface Writing {
  path: string;
  operation: 'created' | 'modified' | 'deleted' | 'renamed' | 'restored';
  /** Where it was before it was renamed, or what it was copied from. */
  from?: string;
  /** A pattern that the shell expands, or a folder: which files these are is not known. */
  isVague?: boolean;
}

const inPlace = /^-[a-zA-Z]*i/;

/** The files that a program writes if it succeeds; `folder` is not added yet. */
export function writingsOf({ program, simple, fed, log }: Started): Writing[] {
  const own = ofProgram(program, fed);
  const redirected = simple.writes.map(({ path, isAppend }): Writing => ({
    path,
    operation: isAppend ? 'modified' : 'created',
  }));
  void log;
  return [...own, ...redirected].filter(({ path }) => path !== '' && !/^(?:\/dev\/|&)/.test(path)).map(vague);
}

function vague(writing: Writing): Writing {
  return /[*?{$]|^\.$/.test(writing.path) ? { ...writing, isVague: true } : writing;
}

function ofProgram(program: Program, fed: string | undefined): Writing[] {
  const { name, args } = program;
  const plain = args.filter((arg) => !arg.startsWith('-'));
  const modified = (paths: readonly string[]): Writing[] => paths.map((path) => ({ path, operation: 'modified' }));
  const created = (paths: readonly string[]): Writing[] => paths.map((path) => ({ path, operation: 'created' }));
  switch (name) {
    case 'sed':
    case 'gsed':
      return args.some((arg) => inPlace.test(arg) || arg.startsWith('--in-place'))
        ? modified(filesOrAll(program, afterScript(args, ['-e', '-f', '--expression'])))
        : [];
    case 'perl':
    case 'ruby':
      return args.some((arg) => /^-[a-zA-Z0-9]*i/.test(arg))
        ? modified(filesOrAll(program, afterScript(args, ['-e', '-E', '-I', '-M'])))
        : [];
    case 'awk':
    case 'gawk':
      return args.includes('inplace') ? modified(plain.slice(-1)) : [];
    case 'tee':
      return created(plain);
    case 'touch':
    case 'truncate':
      return created(plain);
    case 'sponge':
    case 'ed':
    case 'ex':
    case 'dos2unix':
      return modified(plain);
    case 'cp':
    case 'install':
    case 'ln':
      return plain.length < 2 ? [] : copied(plain);
    case 'mv':
    case 'git-mv':
      return plain.length < 2 ? [] : moved(plain);
    case 'rm':
    case 'unlink':
    case 'trash':
    case 'rmdir':
    case 'rimraf':
    case 'shred':
      return plain.map((path) => ({ path, operation: 'deleted' }));
    case 'patch':
      if (args.includes('--dry-run')) return [];
      if (fed !== undefined) return patched(fed);
      return modified(plain.length === 0 ? ['.'] : plain.slice(0, 1));
    case 'apply_patch':
    case 'applypatch':
      return envelope(fed ?? args.join('\n'));
    case 'git':
      return ofGit(args, fed);
    case 'dd':
      return created(args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3)));
    case 'curl':
    case 'wget':
      return created(
        args.filter(
          (_, at) =>
            /^(?:-o|-O|--output|--output-document)$/.test(args[at - 1] ?? '') &&
            !(name === 'curl' && args[at - 1] === '-O'),
        ),
      );
    case 'python':
    case 'node':
    case 'deno':
    case 'bun':
    case 'php':
      return byScript([...args, fed ?? ''].join('\n'));
    case 'prettier':
    case 'eslint':
    case 'black':
    case 'isort':
    case 'gofmt':
    case 'goimports':
    case 'ruff':
    case 'rustfmt':
    case 'rubocop':
    case 'clang-format':
    case 'autopep8':
    case 'stylua':
    case 'shfmt':
    case 'swiftformat':
    case 'php-cs-fixer':
    case 'oxfmt':
    case 'biome':
      return isRewriting(name, args)
        ? [
            {
              path:
                plain.filter((arg) => !/^(?:format|check|lint|fix)$/.test(arg)).find((arg) => /\.\w+$/.test(arg)) ??
                '.',
              operation: 'modified',
            },
          ]
        : [];
    case 'cargo':
      if (args[0] !== 'fmt') return ofManager(name, args);
      return args.includes('--check') ? [] : [{ path: '.', operation: 'modified' }];
    case 'dart':
    case 'mix':
    case 'terraform':
    case 'deno-fmt':
      return (args[0] === 'fmt' || args[0] === 'format') &&
        !args.some((arg) => /check|verify|dry|output=none|set-exit/.test(arg))
        ? [{ path: '.', operation: 'modified' }]
        : [];
    default:
      return ofManager(name, args);
  }
}

/** Which files `xargs` and `find` hand over is not known. */
function filesOrAll({ isFed }: Program, files: readonly string[]): readonly string[] {
  return files.length === 0 && isFed === true ? ['.'] : files;
}

const manifests: readonly (readonly [managers: RegExp, verbs: RegExp, manifest: string])[] = [
  [/^(?:npm|pnpm|yarn|bun)$/, /^(?:install|i|add|remove|rm|uninstall|un|up|update|upgrade)$/, 'package.json'],
  [/^(?:poetry|uv|pdm|rye|hatch)$/, /^(?:add|remove)$/, 'pyproject.toml'],
  [/^cargo$/, /^(?:add|remove|rm)$/, 'Cargo.toml'],
  [/^go$/, /^(?:get|mod)$/, 'go.mod'],
  [/^composer$/, /^(?:require|remove)$/, 'composer.json'],
  [/^bundle$/, /^(?:add|remove)$/, 'Gemfile'],
];

/** A package manager writes the manifest when it is given packages; a script that formats writes what it likes. */
function ofManager(name: string, args: readonly string[]): Writing[] {
  const plain = args.filter((arg) => !arg.startsWith('-'));
  const [verb = '', ...packages] = plain;
  const found = manifests.find(([managers, verbs]) => managers.test(name) && verbs.test(verb));
  if (found !== undefined)
    return (packages.length > 0 && !(name === 'go' && verb === 'mod' && packages[0] !== 'tidy')) || name === 'gem'
      ? args.some((arg) => /^(?:-g|--global|--dry-run|--no-save)$/.test(arg))
        ? []
        : [{ path: found[2], operation: 'modified' }]
      : [];
  const script = verb === 'run' ? packages[0] : verb;
  return /^(?:npm|pnpm|yarn|bun|make|just|task|composer|rake|poe|invoke|inv|hatch|deno)$/.test(name) &&
    script !== undefined &&
    /^(?:format|fmt|fix|lint[:-]fix|format[:-](?:write|all|fix)|fix[:-]\w+|prettier[:-]write|codegen|generate)$/.test(
      script,
    )
    ? [{ path: '.', operation: 'modified' }]
    : [];
}

function isRewriting(name: string, args: readonly string[]): boolean {
  if (args.some((arg) => /^--?(?:check|diff|dry-run|list-different|l|d|n)$/.test(arg))) return false;
  if (name === 'black' || name === 'isort' || name === 'rustfmt' || name === 'stylua' || name === 'swiftformat')
    return true;
  if (name === 'ruff') return args[0] === 'format' || args.includes('--fix');
  if (name === 'php-cs-fixer') return args[0] === 'fix';
  if (name === 'oxfmt') return true;
  return args.some((arg) =>
    /^(?:--write|--fix|-w|-i|-a|-A|--autocorrect|--autocorrect-all|--in-place|--apply)$/.test(arg),
  );
}

/** The arguments behind the script of `sed`: the first plain one, unless a flag brought it. */
function afterScript(args: readonly string[], flags: readonly string[]): string[] {
  const files: string[] = [];
  let hasScript = false;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (flags.includes(arg) || /^-[a-z0-9]*e$/i.test(arg)) {
      hasScript = true;
      at += 1;
    } else if (arg.startsWith('-') || arg === '') continue;
    else files.push(arg);
  }
  return hasScript ? files : files.slice(1);
}

function copied(plain: readonly string[]): Writing[] {
  const to = plain.at(-1) ?? '';
  return plain.slice(0, -1).map((from) => ({
    path: to.endsWith('/') || plain.length > 2 ? `${to.replace(/\/$/, '')}/${last(from)}` : to,
    operation: 'created',
    from,
  }));
}

function moved(plain: readonly string[]): Writing[] {
  const to = plain.at(-1) ?? '';
  return plain.slice(0, -1).map((from) => ({
    path: to.endsWith('/') || plain.length > 2 ? `${to.replace(/\/$/, '')}/${last(from)}` : to,
    operation: 'renamed',
    from,
  }));
}

function last(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function patched(text: string): Writing[] {
  const writings: Writing[] = [];
  let before = '';
  for (const line of text.split('\n')) {
    const old = /^--- (?:a\/)?(\S+)/.exec(line)?.[1];
    const now = /^\+\+\+ (?:b\/)?(\S+)/.exec(line)?.[1];
    if (old !== undefined) before = old;
    else if (now === '/dev/null') writings.push({ path: before, operation: 'deleted' });
    else if (now !== undefined)
      writings.push({ path: now, operation: before === '/dev/null' ? 'created' : 'modified' });
  }
  return writings;
}

/** The patch format of Codex. */
export function envelope(text: string): Writing[] {
  return [...text.matchAll(/^\*\*\* (Update|Add|Delete) File: (.+)$|^\*\*\* (Move to): (.+)$/gm)].map(
    ([, verb, path = '', , target]): Writing => {
      if (target !== undefined) return { path: target.trim(), operation: 'created' };
      return { path: path.trim(), operation: verb === 'Add' ? 'created' : verb === 'Delete' ? 'deleted' : 'modified' };
    },
  );
}

function ofGit(args: readonly string[], fed: string | undefined): Writing[] {
  const [verb, ...rest] = gitWords(args);
  const plain = rest.filter((arg) => !arg.startsWith('-'));
  if (verb === 'mv') return plain.length < 2 ? [] : moved(plain);
  if (verb === 'rm') return rest.includes('--cached') ? [] : plain.map((path) => ({ path, operation: 'deleted' }));
  if (verb === 'apply' || verb === 'am')
    return rest.some((arg) => /^--(?:check|stat|numstat|summary)$/.test(arg))
      ? []
      : fed === undefined
        ? [{ path: '.', operation: 'modified' }]
        : patched(fed);
  if (verb === 'restore')
    return rest.includes('--staged') && !rest.includes('--worktree')
      ? []
      : afterFlags(rest, ['-s', '--source']).map((path) => ({ path, operation: 'restored' }));
  if (verb === 'checkout') {
    const at = rest.indexOf('--');
    if (at !== -1) return rest.slice(at + 1).map((path) => ({ path, operation: 'restored' }));
    if (rest.some((arg) => /^(?:-b|-B|--orphan|-t|--track)$/.test(arg))) return [];
    return plain
      .filter(
        (path, index) =>
          path === '.' || (/[./]/.test(path) && (index > 0 || plain.length === 1) && /\.\w{1,6}$/.test(path)),
      )
      .map((path) => ({ path, operation: 'restored' }));
  }
  if (verb === 'reset' && rest.includes('--hard')) return [{ path: '.', operation: 'restored' }];
  if (verb === 'clean' && rest.some((arg) => /^-[a-z]*f/.test(arg)) && !rest.some((arg) => /^-[a-z]*n/.test(arg)))
    return [{ path: '.', operation: 'restored' }];
  return [];
}

/** Without what stands before the verb: `-C folder`, `-c key=value`. */
export function gitWords(args: readonly string[]): readonly string[] {
  return afterFlags(args, ['-C', '-c', '--git-dir', '--work-tree']);
}

/** What a script obviously writes: `open("a", "w")`, `Path("a").write_text`, `writeFileSync("a"`. */
function byScript(script: string): Writing[] {
  const found: Writing[] = [];
  const patterns = [
    /\bopen\(\s?['"]([^'"\n]{1,300})['"],\s?['"][wax]/g,
    /\bPath\(\s?['"]([^'"\n]{1,300})['"]\s?\)\.write_(?:text|bytes)/g,
    /\bwriteFile(?:Sync)?\(\s?['"`]([^'"`\n]{1,300})['"`]/g,
    /\bfile_put_contents\(\s?['"]([^'"\n]{1,300})['"]/g,
    /\bDeno\.writeTextFile(?:Sync)?\(\s?['"]([^'"\n]{1,300})['"]/g,
    /\bBun\.write\(\s?['"]([^'"\n]{1,300})['"]/g,
  ];
  for (const pattern of patterns)
    for (const [, path = ''] of script.matchAll(pattern)) found.push({ path, operation: 'modified' });
  if (found.length > 0) return found;
  // `p = Path("a"); p.write_text(…)`: the name stands elsewhere.
  if (/\.write_text\(|\.write\(|writeFileSync\(|open\([^)\n]{0,100}['"][wa]\+?['"]/.test(script)) {
    const named = [...script.matchAll(/(?:Path\(|open\(|=\s?)\s?['"]([\w./@-]{1,200}\.\w{1,8})['"]/g)].map(
      ([, path = '']) => path,
    );
    return [...new Set(named)].map((path) => ({ path, operation: 'modified' }));
  }
  return [];
}
