import { csvLine } from '../../ledger/csv.ts';
import type { UsageDocument } from '../../usage/document.ts';

const figures = [
  'calls',
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost',
  'cost_is',
  'unpriced_calls',
] as const;

/** A line for each model of each row: sums and pivots are left to the spreadsheet. */
export function usageCsv({ by, rows }: UsageDocument): string {
  const lines = rows.flatMap(({ group, agent, project, sub_agent, models }) =>
    models.map((model) =>
      csvLine([by, group, agent, project, sub_agent, model.model, ...figures.map((name) => model[name])]),
    ),
  );
  return [csvLine(['by', 'group', 'agent', 'project', 'sub_agent', 'model', ...figures]), ...lines].join('');
}
