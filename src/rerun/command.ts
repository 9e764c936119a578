import { isAbsolute, join, normalize } from 'node:path';
import { decide, type PermissionRules } from '../builtin/permissions/rules.ts';
import { expands, readScript } from '../builtin/permissions/shell.ts';
import { checkOf, type Family } from '../claims/facts/checks.ts';
import { startedBy } from '../claims/facts/exits.ts';
import { pathInside } from '../files/inside.ts';
import { shellQuote } from '../terminal/shell-quote.ts';

/** A command that an agent ran, as it can be run again: one program, and what was set for it. */
export interface Rerunnable {
  /** For a shell. */
  text: string;
  /** For people. */
  shown: string;
  /** Relative to the top of the repository; empty: the top itself. */
  folder: string;
  /** Where it ran, if that is not in the repository. */
  outside?: string;
}

export interface CommandPlace {
  /** The top of the repository, and the folder of the run below it. */
  root: string;
  below: string;
}

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh']);

/** What `bash -lc '…'` runs, where the line is nothing else. */
function unwrapped(line: string): string {
  const commands = readScript(line)?.commands ?? [];
  const [name = '', flag = '', script, more] = commands[0] ?? [];
  const isShell = shells.has(name.slice(name.lastIndexOf('/') + 1)) && /^-[a-z]*c$/.test(flag);
  return commands.length === 1 && isShell && script !== undefined && more === undefined && !script.includes(expands)
    ? script
    : line;
}

const ownScript = /^\.{0,2}\/|\.(?:sh|bash|py|[cm]?[jt]s|rb|pl|php)$/;

/** The checks of one family among the programs of a command line; a text says why there is none to be run again. */
export function rerunnableIn(
  given: string,
  family: Family,
  place: CommandPlace,
  rules: PermissionRules,
): Rerunnable | string {
  const line = unwrapped(given);
  const programs = startedBy(line, 'unknown').filter(({ isBackground }) => !isBackground);
  const checks = programs.filter(({ program }) => {
    const check = checkOf(program);
    return check !== undefined && check.families.includes(family) && !check.isDry && !check.isFixing;
  });
  // A script of the repository may be called anything.
  const started = checks.at(-1) ?? programs.findLast(({ program: { name } }) => ownScript.test(name));
  if (started === undefined) return 'it has no command that can be run again by itself';
  if (started.program.isRemote === true) return 'it ran elsewhere, such as in a container';
  const script = readScript(line);
  if (script === undefined) return 'the command line cannot be taken apart for sure';
  const same = (words: readonly string[]): boolean =>
    words.length === started.simple.words.length &&
    words.every((word, index) => word.replaceAll(expands, '') === started.simple.words[index]);
  const at = script.commands.findIndex(same);
  const words = script.commands[at];
  if (words === undefined) return 'the command line cannot be taken apart for sure';
  const settings = script.commands.slice(0, at).filter(([name = '']) => setsUp.has(name));
  const parts = [...settings, words].map(rendered);
  if (!parts.every((part) => part !== undefined)) return 'it takes words from another command';
  const text = parts.join(' && ');
  const decision = decide(rules, 'bash', { access: 'execute', subject: text });
  if (!decision.allowed) return `not allowed: ${decision.reason}`;
  return { text, shown: shellQuote(started.simple.words), ...placeOf(started.folder, place) };
}

/** Commands that what follows depends on. */
const setsUp = new Set(['export', 'source', '.']);

const assignment = /^[A-Za-z_]\w*\+?=/;
const expansion = /\0(\$(?:\{\w+\}|\w+|[?$!#@*-])|\$\(\)|.)/s;

/** Undefined: a part of it is what another command prints. */
function rendered(words: readonly string[]): string | undefined {
  if (words.some((word) => word.includes(`${expands}$()`))) return undefined;
  const first = words.findIndex((word) => !assignment.test(word));
  return words
    .map((word, index) => {
      if (index === 0 && word === 'source') return '.';
      // Quoted as a whole it would be the name of a program.
      const set = (first === -1 || index < first ? assignment.exec(word)?.[0] : undefined) ?? '';
      const pieces = word.slice(set.length).split(expansion);
      // What was split by is at every other place.
      const text = pieces
        .map((piece, at) => {
          if (at % 2 === 0) return piece === '' ? '' : shellQuote([piece]);
          return piece.startsWith('$') ? `"${piece}"` : piece;
        })
        .join('');
      return set + (text === '' && set === '' ? "''" : text);
    })
    .join(' ');
}

/** The copy that the agent worked in, of which nothing is left. */
const copyFolder = /\/(?:copies|runwire-copies-\d+)\/[0-9a-f]{12}\/checkout(?:\/(?<below>[^\n]*)|$)/;

function placeOf(folder: string, { root, below }: CommandPlace): Pick<Rerunnable, 'folder' | 'outside'> {
  if (!isAbsolute(folder)) {
    const path = normalize(join(below, folder)).replace(/\/$/, '');
    if (path === '..' || path.startsWith('../') || /[$`~]/.test(folder)) return { folder: below, outside: folder };
    return { folder: path === '.' ? '' : path };
  }
  const inside =
    pathInside(root, folder) ??
    copyFolder.exec(folder)?.groups?.['below'] ??
    (copyFolder.test(folder) ? '' : undefined);
  return inside === undefined ? { folder: below, outside: folder } : { folder: inside };
}
