/**
 * What the price table does not have: the part of the token prices that is paid in another service tier. Anthropic (Message Batches),
 * OpenAI and Google (Batch, Flex) list it beside their prices, and Anthropic what is paid for models that may run in one country only, as of November 2026.
 */
const shares: Readonly<Record<string, number>> = { batch: 0.5, flex: 0.5, us: 1.1, us_batch: 0.55 };

const standardTiers: ReadonlySet<string | undefined> = new Set([
  undefined,
  '',
  'standard',
  'default',
  'auto',
  'on_demand',
]);

/** Undefined: the standard one. */
export function serviceTierOf({ service_tier }: { service_tier?: string | undefined }): string | undefined {
  return standardTiers.has(service_tier) ? undefined : service_tier;
}

/** The same in usage as Anthropic's API writes it, where fast calls and those of one country are told beside the tier. */
export function tierOfMessages(usage: Readonly<Record<string, unknown>>): string | undefined {
  if (usage['speed'] === 'fast') return 'fast';
  const { service_tier } = usage;
  const tier = serviceTierOf({ service_tier: typeof service_tier === 'string' ? service_tier : undefined });
  if (usage['inference_geo'] !== 'us') return tier;
  return tier === undefined ? 'us' : tier === 'batch' ? 'us_batch' : tier;
}

export function shareOf(serviceTier: string | undefined): number {
  return (serviceTier === undefined ? undefined : shares[serviceTier]) ?? 1;
}

/** Whether a tier (`priority`, `fast`, …) costs more than the standard one, by how much differs from model to model. */
export function isDearer(serviceTier: string | undefined): boolean {
  return serviceTier !== undefined && shares[serviceTier] === undefined;
}
