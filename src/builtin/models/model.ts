import type { JSONValue, LanguageModel } from 'ai';

/** A language model of any provider, by the SDK's current specification. */
export type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>;
export type ModelRequest = Parameters<Model['doStream']>[0];
type ModelAnswer = Awaited<ReturnType<Model['doStream']>>;
export type ModelPart = ModelAnswer['stream'] extends ReadableStream<infer Part> ? Part : never;
export type ProviderOptions = Record<string, Record<string, JSONValue | undefined>>;

export interface OpenModel {
  model: Model;
  /** `provider/name`; for a recording, the model that was recorded. */
  id: string;
  /** Sent with every request. */
  options?: ProviderOptions;
  /** Set on what the provider should cache: the instructions and the last message. */
  cacheMark?: ProviderOptions;
}
