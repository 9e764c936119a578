/** The table of list prices that this version comes with; a test compares it with the package. */
export const priceTable = { name: 'genai-prices', version: '0.1.8', as_of: '2026-09-23' } as const;
