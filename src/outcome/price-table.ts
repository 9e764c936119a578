import { present } from '../present.ts';
import type { Price, Tokens } from './usage.ts';

/** The offline price table; loaded only when a run has tokens but no reported cost. */
export async function loadPrices(): Promise<Price> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return (model, tokens) => {
    if (model === undefined) return undefined;
    for (const [providerId, name] of spellings(model)) {
      const found = calcPrice(usageOf(tokens), name, present({ providerId }));
      if (found !== null) return found.total_price;
    }
    return undefined;
  };
}

/** `anthropic/claude-x` names its provider; a bare name is looked up as it is. */
function spellings(model: string): [provider: string | undefined, name: string][] {
  const slash = model.indexOf('/');
  if (slash === -1) return [[undefined, model]];
  return [
    [model.slice(0, slash), model.slice(slash + 1)],
    [undefined, model.slice(slash + 1)],
    [undefined, model],
  ];
}

/** Cache tokens are part of the input here, as in our events; the table would throw if they added up to more than the input. */
function usageOf(tokens: Tokens): Record<string, number> {
  const input = tokens.input ?? 0;
  const read = Math.min(tokens.cacheRead ?? 0, input);
  return {
    input_tokens: input,
    output_tokens: tokens.output ?? 0,
    cache_read_tokens: read,
    cache_write_tokens: Math.min(tokens.cacheWrite ?? 0, input - read),
  };
}
