import type { Group, List, Pipeline, Simple } from '../shell/parse.ts';
import { parseShell } from '../shell/parse.ts';
import { type Program, programOf } from '../shell/programs.ts';

/** What is known of how a program ended: from its exit code, as far as the shell lets it through. */
export type Exit = 'zero' | 'nonzero' | 'unknown';

/** One program of a call, in the order in which the shell comes to it. */
export interface Started {
  simple: Simple;
  program: Program;
  exit: Exit;
  /** `maybe`: it stands behind `&&` or `||`, or in a loop. */
  ran: 'yes' | 'no' | 'maybe';
  /** The folder that the shell had changed to; empty: where it began. */
  folder: string;
  isBackground: boolean;
  /** The programs that its output goes through. */
  through: Program[];
  /** It stands in a chain of `&&` that failed somewhere: which of these it was, the output tells. */
  chain?: Started[];
  /** Its output goes to these files instead. */
  log: string[];
  /** A body that is fed to it: a here-document, or what `echo` prints. */
  fed?: string;
}

type Known = number | 'unknown' | 'failed';

interface Walk {
  folder: string;
  isStrict: boolean;
  found: Started[];
  depth: number;
}

/** The programs of a command line, with what its exit code says of each. `failed`: it is not zero, but not known. */
export function startedBy(command: string, code: Known): Started[] {
  const walk: Walk = { folder: '', isStrict: false, found: [], depth: 0 };
  walkList(parseShell(command), exitOf(code), 'yes', walk);
  return walk.found;
}

function exitOf(code: Known): Exit {
  if (code === 'unknown') return 'unknown';
  return code === 0 ? 'zero' : 'nonzero';
}

const mostPrograms = 2000;

function walkList(list: List, exit: Exit, ran: Started['ran'], walk: Walk): void {
  const chains = chainsOf(list);
  for (const [index, chain] of chains.entries()) {
    if (walk.found.length > mostPrograms) return;
    const isLast = index === chains.length - 1;
    const own = isLast ? exit : ownExit(chains, index, exit, walk.isStrict);
    walkChain(chain, own, ran, walk);
  }
}

/** Of a chain that is not the last: `a; echo $?` and `a; exit $?` pass its code on, `set -e` stops at the first failure. */
function ownExit(chains: readonly List[], index: number, exit: Exit, isStrict: boolean): Exit {
  const next = chains[index + 1]?.[0]?.parts[0];
  if (next?.type === 'simple' && next.words[0] === 'exit' && next.words[1] === '$?' && index === chains.length - 2)
    return exit;
  return isStrict && exit === 'zero' ? 'zero' : 'unknown';
}

/** Splits at `;`, newlines and `&`. */
function chainsOf(list: List): List[] {
  const chains: List[] = [];
  for (const pipeline of list) {
    if (pipeline.joint === '' || pipeline.joint === ';' || chains.length === 0) chains.push([pipeline]);
    else chains.at(-1)?.push(pipeline);
  }
  return chains;
}

function walkChain(chain: List, exit: Exit, ran: Started['ran'], walk: Walk): void {
  const hasOr = chain.some(({ joint }) => joint === '||');
  const from = walk.found.length;
  for (const [index, pipeline] of chain.entries()) {
    const isFirst = index === 0;
    const isAll = !hasOr && exit === 'zero';
    const runs = ran === 'yes' && (isFirst || isAll) ? 'yes' : 'maybe';
    walkPipeline(pipeline, pipeline.isBackground ? 'unknown' : exitInChain(chain, index, exit, hasOr), runs, walk);
  }
  if (!hasOr && exit === 'nonzero' && chain.length > 1) {
    const members = walk.found.slice(from);
    for (const each of members) each.chain = members;
  }
}

function exitInChain(chain: List, index: number, exit: Exit, hasOr: boolean): Exit {
  if (!hasOr) return exit === 'zero' ? 'zero' : chain.length === 1 ? exit : 'unknown';
  // `a || b`: both failed if the whole did, unless `&&` stands among them; `a || exit 1` passes a success of `a` on.
  if (exit === 'nonzero' && chain.every(({ joint }) => joint !== '&&')) return 'nonzero';
  const next = chain[index + 1];
  const part = next?.parts[0];
  const ends =
    next?.joint === '||' && part?.type === 'simple' && (part.words[0] === 'exit' || part.words[0] === 'false');
  return exit === 'zero' && ends && chain.length === index + 2 ? 'zero' : 'unknown';
}

/** Programs that do not fail by themselves: a failure of a pipe with `pipefail` is not theirs. */
const filters = new Set([
  'tail',
  'head',
  'tee',
  'cat',
  'less',
  'more',
  'sed',
  'awk',
  'cut',
  'sort',
  'uniq',
  'tr',
  'column',
  'fold',
  'ts',
  'sponge',
  'strings',
  'nl',
  'wc',
]);

function walkPipeline(pipeline: Pipeline, exit: Exit, ran: Started['ran'], walk: Walk): void {
  const real = pipeline.isNegated ? (exit === 'zero' ? 'nonzero' : exit === 'nonzero' ? 'zero' : exit) : exit;
  const { parts } = pipeline;
  const programs = parts.map((part) => (part.type === 'simple' ? programOf(part) : undefined));
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const rest = programs.slice(index + 1).filter((each) => each !== undefined);
    let own: Exit = isLast ? real : 'unknown';
    if (!isLast && walk.isStrict) {
      if (real === 'zero') own = 'zero';
      else if (real === 'nonzero' && index === 0 && rest.every(({ name }) => filters.has(name))) own = 'nonzero';
    }
    if (isLast && parts.length > 1 && walk.isStrict && real === 'nonzero' && filters.has(programs[index]?.name ?? ''))
      own = 'unknown';
    const from = walk.found.length;
    if (part.type === 'group') walkGroup(part, own, ran, walk);
    else walkSimple(part, programs[index], own, ran, walk);
    const fed = index > 0 ? printedBy(programs[index - 1]) : undefined;
    for (const each of walk.found.slice(from)) {
      each.through.push(...rest);
      each.isBackground ||= pipeline.isBackground;
      if (fed !== undefined) each.fed = fed;
      if (part.type === 'group') each.log.push(...part.writes.map(({ path }) => path));
      for (const { name, args } of rest)
        if (name === 'tee') each.log.push(...args.filter((arg) => !arg.startsWith('-')));
    }
  }
}

function printedBy(program: Program | undefined): string | undefined {
  return program?.name === 'echo' || program?.name === 'printf' ? program.args.join(' ') : undefined;
}

function walkGroup(group: Group, exit: Exit, ran: Started['ran'], walk: Walk): void {
  if (walk.depth > 20) return;
  const before = walk.folder;
  const isStrict = walk.isStrict;
  walk.depth += 1;
  walkList(group.list, group.isUncertain ? 'unknown' : exit, group.isUncertain && ran === 'yes' ? 'maybe' : ran, walk);
  walk.depth -= 1;
  if (group.isSubshell) {
    walk.folder = before;
    walk.isStrict = isStrict;
  }
}

function walkSimple(simple: Simple, program: Program | undefined, exit: Exit, ran: Started['ran'], walk: Walk): void {
  if (program === undefined) return;
  if (program.name === 'cd' || program.name === 'pushd') {
    const target = program.args.find((arg) => !arg.startsWith('-'));
    if (target !== undefined)
      walk.folder = target.startsWith('/') || walk.folder === '' ? target : `${walk.folder}/${target}`;
    return;
  }
  if (program.name === 'set' && program.args.some((arg) => /^-[a-z]*e/.test(arg) || arg === 'pipefail')) {
    walk.isStrict = true;
    return;
  }
  if (program.script !== undefined && walk.depth < 10) {
    const { folder, isStrict } = walk;
    const from = walk.found.length;
    walk.isStrict ||= program.isStrict === true;
    walk.depth += 1;
    walkList(parseShell(program.script), exit, ran, walk);
    walk.depth -= 1;
    walk.folder = folder;
    walk.isStrict = isStrict;
    for (const each of walk.found.slice(from)) {
      each.log.push(...simple.writes.map(({ path }) => path));
      each.isBackground ||= program.isDetached === true;
    }
    return;
  }
  walk.found.push({
    simple,
    program,
    exit,
    ran,
    folder: walk.folder,
    isBackground: false,
    through: [],
    log: simple.writes.map(({ path }) => path),
    ...(simple.body === undefined ? {} : { fed: simple.body }),
  });
}
