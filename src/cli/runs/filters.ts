import { resolve } from 'node:path';
import { classes, filterOf, statuses } from '../../ledger/filter.ts';
import type { RunFilter } from '../../stores/run-store.ts';
import type { Options, Values } from '../command.ts';
import type { Context } from '../context.ts';

/** Which runs to take: the flags of every command that takes many. */
export const filterOptions = {
  status: { type: 'string', short: 's', multiple: true, value: 'STATUS', choices: statuses, help: `${statuses.join(', ')}; several: a,b` },
  class: { type: 'string', multiple: true, value: 'CLASS', choices: classes, help: 'Verdict class: success, tool, provider, …' },
  agent: { type: 'string', short: 'a', multiple: true, value: 'NAME', help: 'Agent: claude, codex, …' },
  model: { type: 'string', short: 'm', multiple: true, value: 'NAME', help: 'Model' },
  user: { type: 'string', multiple: true, value: 'NAME', help: 'Started by this user' },
  host: { type: 'string', multiple: true, value: 'NAME', help: 'Ran on this machine' },
  repo: { type: 'string', multiple: true, value: 'OWNER/NAME', help: 'Repository, as named in its remote' },
  cwd: { type: 'string', multiple: true, value: 'DIR', help: 'Ran in this folder' },
  session: { type: 'string', multiple: true, value: 'ID', help: "The agent's session id" },
  parent: { type: 'string', multiple: true, value: 'ID', help: 'Started by this run' },
  root: { type: 'string', multiple: true, value: 'ID', help: 'Anywhere in the tree below this top-level run' },
  label: { type: 'string', short: 'l', multiple: true, value: 'KEY=VALUE', help: 'Has this label; if repeated, all of them' },
  since: { type: 'string', value: 'WHEN', help: 'Started in the last 2h, 3d, 1w, or since 2026-11-15 or 2026-11-15T10:00Z' },
  until: { type: 'string', value: 'WHEN', help: 'Started before this time' },
  'min-cost': { type: 'string', value: 'USD', help: 'Cost at least this much' },
  'max-cost': { type: 'string', value: 'USD', help: 'Cost at most this much' },
  file: { type: 'string', multiple: true, value: 'PATH', help: 'Changed this file: a path, or the end of one, such as src/index.ts' },
  text: { type: 'string', value: 'WORDS', help: 'Has all these words in the prompt or the answer; word* matches a prefix' },
} as const satisfies Options;

export function readFilter(values: Values<typeof filterOptions>, context: Context): RunFilter {
  const asked = {
    ...values,
    cwd: values.cwd?.map((path) => resolve(context.cwd, path)),
    min_cost: values['min-cost'],
    max_cost: values['max-cost'],
  };
  return filterOf(asked, context.now(), (field) => `--${field.replace('_', '-')}`);
}
