/** The token counts of an outcome, in output order. The columns of the ledger and of CSV files have their own lists. */
export const tokenFields = [
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
] as const;
