import { decide } from './rules.ts';
import { expands, readScript } from './shell.ts';
import type { Need } from '../tools/tool.ts';

const accesses: Readonly<Record<string, Need['access']>> = {
  bash: 'execute',
  read: 'read',
  grep: 'read',
  glob: 'read',
  write: 'write',
  edit: 'write',
  fetch: 'network',
};

/** The rules that would have let a call pass that touches this (a command, a path, an address), and nothing else; undefined: no rule can. */
export function rulesThatAllow(tool: string, touched: string): string[] | undefined {
  const access = Object.hasOwn(accesses, tool) ? accesses[tool] : undefined;
  const subject = tool === 'fetch' ? URL.parse(touched)?.hostname : touched;
  if (access === undefined || subject === undefined) return undefined;
  const parts = tool === 'bash' ? readScript(subject)?.commands : [[subject]];
  if (parts === undefined || parts.some((words) => words.some((word) => word.includes(expands)))) return undefined;
  const rules = [...new Set(parts.map((words) => `${tool}(${words.join(' ')})`))];
  const need: Need = { access, subject };
  try {
    // A word with blanks in it, a star in a path: only what the rules themselves say is true.
    return decide({ mode: 'read-only', allow: rules, deny: [], directories: [] }, tool, need).allowed
      ? rules
      : undefined;
  } catch {
    return undefined;
  }
}
