import { fileSize } from '../terminal/figures.ts';
import type { Ask } from './agent-cli.ts';
import type { Environment, PermissionMode } from '../words/vocabulary.ts';

/** Linux accepts 128 KiB in one argument, including its terminator; a prompt near that goes on stdin. */
const longestArgument = 100_000;

/** Whether the text is too long for an argument, or holds a NUL, which no argument can. */
export function needsStdin(prompt: string): boolean {
  return prompt.includes('\0') || new TextEncoder().encode(prompt).length > longestArgument;
}

/** `--name=value`, or nothing. A value in the same word cannot be taken for a flag. */
export function flag(name: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

export function flags(name: string, values: readonly string[]): string[] {
  return values.flatMap((value) => flag(name, value));
}

/** For parsers that do not know `--name=value`. */
export function pair(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`--${name}`, value];
}

export interface ModelName {
  provider: string | undefined;
  name: string;
}

export function splitModel(model: string): ModelName {
  const slash = model.indexOf('/');
  return slash < 1 || slash === model.length - 1
    ? { provider: undefined, name: model }
    : { provider: model.slice(0, slash), name: model.slice(slash + 1) };
}

/** The name without the provider, for agents that have only that one; other providers stay in the name, for the agent to judge. */
export function withoutProvider(model: string | undefined, ...providers: readonly string[]): string | undefined {
  if (model === undefined) return undefined;
  const { provider, name } = splitModel(model);
  return provider !== undefined && providers.includes(provider) ? name : model;
}

/** An unknown version is treated as the newest. */
export function isAtLeast(version: string | undefined, least: string): boolean {
  if (version === undefined) return true;
  const [have, want] = [numbersOf(version), numbersOf(least)];
  for (const [index, number] of want.entries()) {
    const difference = (have[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

const numbersOf = (version: string): number[] =>
  (version.split(/[-+]/)[0] ?? '').split('.').map((part) => Number.parseInt(part, 10) || 0);

/** Variables for a child process: only those that have a value. */
export function variables(all: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** A TOML string. JSON's escapes are valid TOML, but TOML also requires DEL to be escaped. */
export function tomlString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\x7f', '\\u007f');
}

const wishes = {
  model: 'cannot be given a model; set it in its own configuration',
  resume: 'cannot resume a session by its id; this is a new one',
  system: 'cannot be given another system prompt',
  appendSystem: 'cannot be given more system instructions; put them into the prompt',
  directories: 'cannot be given more folders to work in',
  baseUrl: 'cannot be sent to another model server by its command line; set it in its own configuration',
} as const satisfies { [Name in keyof Ask]?: string };
type Wish = keyof typeof wishes;

/** A sentence for each of these wishes that the user asked for. */
export function lacking(title: string, ask: Ask, ...cannot: readonly Wish[]): string[] {
  return cannot.flatMap((wish) => (isAsked(ask, wish) ? [`${title} ${wishes[wish]}.`] : []));
}

function isAsked(ask: Ask, wish: Wish): boolean {
  return wish === 'directories' ? ask.directories.length > 0 : ask[wish] !== undefined;
}

export function lackingMode(title: string, ask: Ask, mode: PermissionMode, instead: string): string[] {
  return ask.permissionMode === mode ? [`${title} has no flag for the permission mode ${mode}: ${instead}.`] : [];
}

/** Why a prompt cannot reach an agent that takes it only as an argument. */
export function tooLong(title: string, prompt: string): string | undefined {
  if (!needsStdin(prompt)) return undefined;
  const why = prompt.includes('\0') ? 'this one holds a NUL' : `this one is too long for that (${size(prompt)})`;
  return `${title} takes a prompt as an argument only, and ${why}; put it into a file and name the file`;
}

/** The size of a text, such as `127.0 KiB`. */
export function size(text: string): string {
  return fileSize(new TextEncoder().encode(text).length);
}

/** Keys of model providers, for agents that work with any of them. */
export const providerKeys: readonly string[] = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'AZURE_API_KEY',
  'XAI_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
  'CEREBRAS_API_KEY',
  'FIREWORKS_API_KEY',
  'TOGETHER_API_KEY',
  'MOONSHOT_API_KEY',
  'ZAI_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
];

/** Variables that say where the providers are and which of the user's accounts to use; no secrets. */
export const providerSettings: readonly string[] = [
  'OPENAI_BASE_URL',
  'OPENAI_ORG_ID',
  'ANTHROPIC_BASE_URL',
  'OLLAMA_HOST',
  'AZURE_OPENAI_ENDPOINT',
  'AZURE_OPENAI_BASE_URL',
  'AZURE_OPENAI_RESOURCE_NAME',
  'AZURE_OPENAI_API_VERSION',
  'AZURE_OPENAI_DEPLOYMENT_NAME_MAP',
  'AZURE_RESOURCE_NAME',
  'AWS_PROFILE',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_LOCATION',
  'GOOGLE_APPLICATION_CREDENTIALS',
];
