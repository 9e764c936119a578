import { resolve } from 'node:path';
import { classes, filterOf, statuses } from '../../ledger/filter.ts';
import type { RunFilter } from '../../stores/run-store.ts';
import type { Options, Values } from '../command.ts';
import type { Context } from '../context.ts';

/** Which runs: the flags of every command that takes many of them. */
export const filterOptions = {
  status: { type: 'string', short: 's', multiple: true, value: 'STATUS', choices: statuses, help: `${statuses.join(', ')}; several: a,b` },
  class: { type: 'string', multiple: true, value: 'CLASS', choices: classes, help: 'Class of the verdict: success, tool, provider, …' },
  agent: { type: 'string', short: 'a', multiple: true, value: 'NAME', help: 'Agent: claude, codex, …' },
  model: { type: 'string', short: 'm', multiple: true, value: 'NAME', help: 'Model' },
  user: { type: 'string', multiple: true, value: 'NAME', help: 'Started by this user' },
  host: { type: 'string', multiple: true, value: 'NAME', help: 'On this machine' },
  repo: { type: 'string', multiple: true, value: 'OWNER/NAME', help: 'Repository, as its remote calls it' },
  cwd: { type: 'string', multiple: true, value: 'DIR', help: 'In this folder' },
  session: { type: 'string', multiple: true, value: 'ID', help: "The agent's session" },
  parent: { type: 'string', multiple: true, value: 'ID', help: 'Started by this run' },
  root: { type: 'string', multiple: true, value: 'ID', help: 'Anywhere below this run, which is the top of its tree' },
  label: { type: 'string', short: 'l', multiple: true, value: 'KEY=VALUE', help: 'Label; several: all of them' },
  since: { type: 'string', value: 'WHEN', help: 'Started in the last 2h, 3d, 1w, or since 2026-11-15 or 2026-11-15T10:00Z' },
  until: { type: 'string', value: 'WHEN', help: 'Started before then' },
  'min-cost': { type: 'string', value: 'USD', help: 'Cost at least this much' },
  'max-cost': { type: 'string', value: 'USD', help: 'Cost at most this much' },
  file: { type: 'string', multiple: true, value: 'PATH', help: 'Changed this file: a path, or the end of one, such as src/index.ts' },
  text: { type: 'string', value: 'WORDS', help: 'All these words are in the prompt or the answer; word* is a prefix' },
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
