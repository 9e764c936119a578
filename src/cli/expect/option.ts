import type { Option } from '../command.ts';

/** The flag of every command that can expect something of a run. */
export const expectOption = {
  type: 'string',
  multiple: true,
  value: 'RULE|FILE',
  help: "A rule that must hold, else exit 9: 'must not touch test/**', 'at most $0.50', 'after: npm test', …, or a file of rules; may be repeated",
} as const satisfies Option;
