/** Tokens that fit into one request to this model, if the price table knows. */
export async function contextWindowOf(model: string): Promise<number | undefined> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const slash = model.indexOf('/');
  const name = model.slice(slash + 1);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const found =
    (slash === -1 ? null : calcPrice(usage, name, { providerId: model.slice(0, slash) })) ?? calcPrice(usage, name);
  return found?.model.context_window;
}
