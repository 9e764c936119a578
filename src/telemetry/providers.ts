/** The prefix of a model of ours, as the conventions name its provider. */
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

/** How the name of a model begins. */
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

/** Agents that speak to the models of their own house unless they are told otherwise. */
const byAgent: Readonly<Record<string, string>> = { claude: 'anthropic', codex: 'openai', gemini: 'gcp.gemini' };

/** Who serves the model, as far as its name or its agent tells; else the agent itself. */
export function providerOf(model: string | undefined, agent: string | undefined): string {
  const slash = model?.indexOf('/') ?? -1;
  const prefix = slash < 1 ? undefined : model?.slice(0, slash).toLowerCase();
  const known = prefix === undefined ? undefined : (byPrefix[prefix] ?? (prefix === 'replay' ? undefined : prefix));
  const named = model === undefined ? undefined : byModel.find(([start]) => start.test(model))?.[1];
  return known ?? named ?? (agent === undefined ? undefined : byAgent[agent]) ?? agent ?? 'unknown';
}

/** The name of a model without our prefix for its provider; a file of a replay is no model. */
export function modelName(model: string): string {
  const slash = model.indexOf('/');
  const prefix = model.slice(0, Math.max(0, slash)).toLowerCase();
  if (prefix === 'replay') return 'replay';
  return Object.hasOwn(byPrefix, prefix) || prefix === 'ollama' || prefix === 'openai-compatible' ? model.slice(slash + 1) : model;
}
