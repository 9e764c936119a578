/** Our model prefixes, with the provider names of the conventions. */
const byPrefix: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'gcp.gemini',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  'amazon-bedrock': 'aws.bedrock',
  xai: 'x_ai',
  deepseek: 'deepseek',
  mistral: 'mistral_ai',
  groq: 'groq',
  cohere: 'cohere',
  perplexity: 'perplexity',
};

/** Providers by the beginning of the model name. */
const byModel: readonly (readonly [start: RegExp, provider: string])[] = [
  [/^claude/i, 'anthropic'],
  [/^(?:gpt|chatgpt|codex|o\d)/i, 'openai'],
  [/^gemini/i, 'gcp.gemini'],
  [/^grok/i, 'x_ai'],
  [/^deepseek/i, 'deepseek'],
  [/^(?:mistral|codestral|devstral|magistral|ministral)/i, 'mistral_ai'],
  [/^command-/i, 'cohere'],
  [/^sonar/i, 'perplexity'],
];

/** Agents that use the models of their own vendor unless they are configured otherwise. */
const byAgent: Readonly<Record<string, string>> = { claude: 'anthropic', codex: 'openai', gemini: 'gcp.gemini' };

/** The provider of the model, as far as its name or its agent shows; else the agent itself. */
export function providerOf(model: string | undefined, agent: string | undefined): string {
  const slash = model?.indexOf('/') ?? -1;
  const prefix = slash < 1 ? undefined : model?.slice(0, slash).toLowerCase();
  const known = prefix === undefined ? undefined : (byPrefix[prefix] ?? (prefix === 'replay' ? undefined : prefix));
  const named = model === undefined ? undefined : byModel.find(([start]) => start.test(model))?.[1];
  return known ?? named ?? (agent === undefined ? undefined : byAgent[agent]) ?? agent ?? 'unknown';
}

/** The name of a model without our provider prefix; a replay file is not a model. */
export function modelName(model: string): string {
  const slash = model.indexOf('/');
  const prefix = model.slice(0, Math.max(0, slash)).toLowerCase();
  if (prefix === 'replay') return 'replay';
  return Object.hasOwn(byPrefix, prefix) || prefix === 'ollama' || prefix === 'openai-compatible'
    ? model.slice(slash + 1)
    : model;
}
