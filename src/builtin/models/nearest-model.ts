import { nearest } from '../../words/nearest.ts';

/** ` (did you mean …?)` for a model that its provider does not know, where the price table has a name like it. */
export async function nearestModel(model: string): Promise<string> {
  const { findProvider } = await import('@pydantic/genai-prices');
  const provider = model.slice(0, model.indexOf('/'));
  const names = (findProvider({ providerId: provider })?.models ?? []).map(({ id }) => `${provider}/${id}`);
  return names.includes(model) ? '' : nearest(model, names);
}
