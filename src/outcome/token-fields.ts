/** What an outcome counts of tokens, in the order in which it is told. Columns of the ledger and of CSV files have lists of their own. */
export const tokenFields = ['input_tokens', 'output_tokens', 'reasoning_tokens', 'cache_read_tokens', 'cache_write_tokens'] as const;
