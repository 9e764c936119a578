/** A provider of models by the name that agents have for it. */
export interface KnownProvider {
  /** The base address that its clients use unless they are told another one. */
  address: string;
  /** Variables with its key, the first that is set counts. */
  keys: readonly string[];
  /** A variable with another base address. */
  addressVariable?: string;
}

/** Providers that agents know by themselves, under the names that models.dev gives them. */
export const knownProviders: Readonly<Record<string, KnownProvider>> = {
  openai: { address: 'https://api.openai.com/v1', keys: ['OPENAI_API_KEY'], addressVariable: 'OPENAI_BASE_URL' },
  anthropic: {
    address: 'https://api.anthropic.com/v1',
    keys: ['ANTHROPIC_API_KEY'],
    addressVariable: 'ANTHROPIC_BASE_URL',
  },
  google: {
    address: 'https://generativelanguage.googleapis.com/v1beta',
    keys: ['GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  },
  openrouter: { address: 'https://openrouter.ai/api/v1', keys: ['OPENROUTER_API_KEY'] },
  xai: { address: 'https://api.x.ai/v1', keys: ['XAI_API_KEY'] },
  groq: { address: 'https://api.groq.com/openai/v1', keys: ['GROQ_API_KEY'] },
  mistral: { address: 'https://api.mistral.ai/v1', keys: ['MISTRAL_API_KEY'] },
  deepseek: { address: 'https://api.deepseek.com', keys: ['DEEPSEEK_API_KEY'] },
  cerebras: { address: 'https://api.cerebras.ai/v1', keys: ['CEREBRAS_API_KEY'] },
  'fireworks-ai': { address: 'https://api.fireworks.ai/inference/v1', keys: ['FIREWORKS_API_KEY'] },
  togetherai: { address: 'https://api.together.xyz/v1', keys: ['TOGETHER_API_KEY'] },
  opencode: { address: 'https://opencode.ai/zen/v1', keys: ['OPENCODE_API_KEY'] },
  moonshotai: { address: 'https://api.moonshot.ai/v1', keys: ['MOONSHOT_API_KEY'] },
};
