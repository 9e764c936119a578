import { Failure } from '../../failure.ts';
import { matchesPath } from '../../files/path-pattern.ts';
import { expands, readScript } from './shell.ts';
import type { PermissionMode } from '../../words/vocabulary.ts';
import type { Need } from '../tools/tool.ts';

export interface PermissionRules {
  mode: PermissionMode;
  /** `bash(npm test:*)`, `write(src/**)`, `fetch(example.com)`, or a bare tool name. */
  allow: readonly string[];
  deny: readonly string[];
  /** Folders outside the working directory that file tools may touch. */
  directories: readonly string[];
}

export interface Decision {
  allowed: boolean;
  /** Why, for the model and for the events. */
  reason: string;
  /** No rule allows or denies it: a person may be asked. */
  mayAsk?: true;
}

export type Decide = (rules: PermissionRules, tool: string, need: Need) => Decision;

const modes = {
  'read-only': new Set<Need['access']>(['none', 'read']),
  edit: new Set<Need['access']>(['none', 'read', 'write']),
  full: new Set<Need['access']>(['none', 'read', 'write', 'execute', 'network']),
} as const satisfies Record<PermissionMode, ReadonlySet<Need['access']>>;

/** What goes inside a rule's brackets; below, examples for error messages. */
const patternOf: Record<string, 'command' | 'path' | 'host' | 'nothing'> = {
  bash: 'command',
  read: 'path',
  grep: 'path',
  glob: 'path',
  write: 'path',
  edit: 'path',
  fetch: 'host',
  todo: 'nothing',
};
const examples = {
  command:
    'bash(npm test:*) or bash(npm test*) for every command that begins that way, bash(npm test) for exactly that command',
  path: 'write(src/**), a path relative to the working directory with *, ** and ?',
  host: 'fetch(example.com) or fetch(*.example.com)',
  nothing: 'todo, without brackets',
};

interface Rule {
  text: string;
  tool: string;
  /** Absent: every call of the tool. A part is what the call touches: a path, a host, one simple command. */
  covers?(part: Part): boolean;
  /** For denials: also covers what cannot be told apart from a match. */
  mayCover?(part: Part): boolean;
}
type Part = readonly string[];

/** Checks the rules; throws a `config` failure that names the bad rule and what is wrong with it. */
export function parseRules(
  mode: string,
  allow: readonly string[] = [],
  deny: readonly string[] = [],
  directories: readonly string[] = [],
): PermissionRules {
  if (!isMode(mode))
    throw new Failure('config', `unknown permission mode "${mode}"; known: ${Object.keys(modes).join(', ')}`);
  for (const text of [...allow, ...deny]) parseRule(text);
  for (const folder of directories) {
    if (folder.trim() === '' || folder.includes('\0'))
      throw new Failure('config', `"${folder}" is not a folder; give a path such as ../shared`);
  }
  return { mode, allow: [...allow], deny: [...deny], directories: [...directories] };
}

/** May this tool do that? Deny rules come first, then the mode, then allow rules; anything else is denied. */
export const decide: Decide = (rules, tool, need) => {
  const script = tool === 'bash' ? readScript(need.subject) : undefined;
  const parts: readonly Part[] | undefined = tool === 'bash' ? script?.commands : [[need.subject]];
  for (const rule of rulesFor(rules.deny, tool, need)) {
    if (rule.mayCover === undefined) return no(`denied by the rule ${rule.text}`);
    if (parts === undefined) return no(`the rule ${rule.text} denies some commands, and ${unsure}`);
    if (parts.some(rule.mayCover)) return no(`denied by the rule ${rule.text}`);
  }
  if (modes[rules.mode].has(need.access)) return { allowed: true, reason: `permission mode ${rules.mode}` };
  const allowing = rulesFor(rules.allow, tool, need);
  const whole = allowing.find((rule) => rule.covers === undefined);
  if (whole !== undefined) return { allowed: true, reason: `allowed by the rule ${whole.text}` };
  if (allowing.length === 0)
    return ask(`permission mode ${rules.mode} does not let ${tool} ${verbs[need.access]}, and no rule allows it`);
  if (parts === undefined) return ask(unsure);
  if (script !== undefined && script.files.length > 0)
    return ask(`the command redirects to or from ${shown(script.files.slice(0, 1))}; only mode full allows that`);
  const used = new Set<string>();
  for (const part of parts) {
    const rule = allowing.find((each) => each.covers?.(part));
    if (rule === undefined)
      return ask(`no rule allows ${tool}(${shown(part)}); allowed: ${allowing.map((each) => each.text).join(', ')}`);
    used.add(rule.text);
  }
  if (used.size === 0) return ask('there is no command to allow');
  return { allowed: true, reason: `allowed by the rule ${[...used].join(', ')}` };
};

const unsure = 'this command cannot be taken apart for sure; use plain commands, without loops, here-documents or ${…}';
const verbs: Record<Need['access'], string> = {
  none: 'run',
  read: 'read',
  write: 'write',
  execute: 'run',
  network: 'use the network',
};
const no = (reason: string): Decision => ({ allowed: false, reason });
const ask = (reason: string): Decision => ({ allowed: false, reason, mayAsk: true });
const shown = (part: Part): string => part.join(' ').replaceAll(expands, '');
const isMode = (text: string): text is PermissionMode => Object.hasOwn(modes, text);

/** `read` and `write` name what is done, so they also cover grep and glob, and edit; `mcp__server` covers all its tools. */
function rulesFor(texts: readonly string[], tool: string, need: Need): Rule[] {
  return texts
    .map(parseRule)
    .filter(
      (rule) =>
        rule.tool === tool || rule.tool === need.access || (isMcp(rule.tool) && tool.startsWith(`${rule.tool}__`)),
    );
}

const isMcp = (tool: string): boolean => tool.startsWith('mcp__');

function parseRule(text: string): Rule {
  const [, tool = '', pattern] = /^([\w-]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  const bad = (why: string, example: string): Failure =>
    new Failure('config', `bad permission rule "${text}": ${why}; write ${example}`);
  if (tool === '') throw bad('it is not a tool name with a pattern in brackets', examples.command);
  const kind = isMcp(tool) ? 'nothing' : Object.hasOwn(patternOf, tool) ? patternOf[tool] : undefined;
  if (kind === undefined)
    throw bad(`there is no tool "${tool}"`, `one of ${Object.keys(patternOf).join(', ')}, or mcp__SERVER__TOOL`);
  const rule = { text: text.trim(), tool };
  if (pattern === undefined) return rule;
  if (kind === 'nothing') throw bad(`${tool} takes no pattern`, tool);
  if (kind === 'command' && pattern.trim() === '*') return rule;
  const matcher = { command: commandRule, path: pathRule, host: hostRule }[kind](pattern.trim());
  if (typeof matcher === 'string') throw bad(matcher, examples[kind].replace(/^write/, tool));
  return { ...rule, ...matcher };
}

type Matcher = Required<Pick<Rule, 'covers' | 'mayCover'>>;

function commandRule(pattern: string): Matcher | string {
  const ending = pattern.endsWith(':*') ? ':*' : pattern.endsWith('*') && !pattern.endsWith('\\*') ? '*' : '';
  const command = pattern.slice(0, pattern.length - ending.length);
  const isPrefix = ending !== '';
  /** `node --test*`: what the last word begins with. `node --test *` and `node --test:*` have whole words. */
  const isOpen = ending === '*' && !/\s$/.test(command);
  const script = readScript(command);
  const words = script?.commands[0];
  if (script === undefined || words === undefined || script.commands.length > 1 || script.files.length > 0) {
    return 'a rule names one plain command, without ;, &&, |, redirections or substitutions';
  }
  if (words.includes(`${expands}*`)) return 'a * stands for words only at the end of a command';
  const matches = (word: string, given: string | undefined, index: number): boolean =>
    isOpen && index === words.length - 1 ? given?.startsWith(word) === true : given === word;
  const couldBe = (part: Part): boolean => {
    for (const [index, word] of words.entries()) {
      const given = index === 0 ? baseName(part[index], word) : part[index];
      if (given === undefined) return false;
      if (!matches(word, given, index)) return given.includes(expands);
    }
    return isPrefix || part.length === words.length || part.some((word) => word.includes(expands));
  };
  return {
    covers: (part) =>
      words.every((word, index) => matches(word, part[index], index)) && (isPrefix || part.length === words.length),
    mayCover: (part) => startsOf(part).some(couldBe),
  };
}

/** Programs that run the command in their arguments. */
const runners = new Set(
  'builtin bash busybox chroot command dash doas env eval exec find ionice ksh nice nohup parallel setsid sh stdbuf strace sudo time timeout unshare watch xargs zsh'.split(
    ' ',
  ),
);

/** Where in a command another one may start: after assignments, after a program that runs others, inside its quoted argument. */
function startsOf(part: Part): Part[] {
  const first = part.findIndex((word) => !/^[A-Za-z_]\w*\+?=/.test(word));
  if (first === -1) return [];
  const command = part.slice(first);
  if (!runners.has(baseName(command[0]) ?? '')) return [command];
  const quoted = command.filter((word) => /\w/.test(word) && /[\s;&|]/.test(word));
  return [
    ...command.map((_, index) => command.slice(index)),
    ...quoted.flatMap((word) => readScript(word)?.commands.flatMap(startsOf) ?? [[expands]]),
  ];
}

/** `/bin/rm` is `rm` to a denial, unless the rule itself names a path. */
function baseName(word: string | undefined, rule = ''): string | undefined {
  return rule.includes('/') ? word : word?.slice(word.lastIndexOf('/') + 1);
}

function pathRule(pattern: string): Matcher | string {
  const path = pattern.replace(/^(?:\.\/)+/, '');
  if (path === '' || path.endsWith('/')) return 'a folder is named by its contents';
  if (path.split('/').includes('..') || path.startsWith('~')) return 'a path cannot have .. in it or begin with ~';
  const matches = matchesPath(path);
  const covers = (part: Part): boolean => matches(part[0] ?? '');
  return { covers, mayCover: covers };
}

function hostRule(pattern: string): Matcher | string {
  const [, wildcard = '', name = ''] = /^(\*\.)?(\[[\da-f:.]+\]|[^*/@?#:\s]+)$/i.exec(pattern) ?? [];
  const url = URL.parse(`http://${name}`);
  if (name === '' || url === null) return 'a host is a name without scheme, port or path';
  const host = url.hostname.replace(/\.$/, '');
  const covers = (part: Part): boolean =>
    wildcard === '' ? part[0] === host : (part[0]?.endsWith(`.${host}`) ?? false);
  return { covers, mayCover: covers };
}
