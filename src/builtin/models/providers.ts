import { Failure } from '../../failure.ts';
import { nearest } from '../../words/nearest.ts';
import { present } from '../../json/present.ts';
import { withoutPassword } from '../../redact/url-password.ts';
import type { AgentOptions } from '../agent.ts';
import type { Model, OpenModel, ProviderOptions } from './model.ts';
import { fetchSameOrigin } from './same-origin.ts';

export type ModelOptions = Pick<AgentOptions, 'model' | 'env' | 'keys' | 'baseUrl' | 'cwd' | 'pause'> & {
  sessionId: string;
};

interface Named extends ModelOptions {
  provider: string;
  name: string;
}

type Opened = Omit<OpenModel, 'id'>;

const anthropicCache: ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** Each loads only its own package. */
const providers: Record<string, (named: Named) => Promise<Opened | OpenModel>> = {
  async openai(named) {
    const apiKey = needKey(named, ['OPENAI_API_KEY']);
    const { createOpenAI } = await import('@ai-sdk/openai');
    const model = createOpenAI({ apiKey, ...base(named, 'OPENAI_BASE_URL') }).responses(named.name);
    return { model: v4(model), options: { openai: unstored(named) } };
  },

  async anthropic(named) {
    const apiKey = needKey(named, ['ANTHROPIC_API_KEY']);
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return {
      model: v4(createAnthropic({ apiKey, ...base(named, 'ANTHROPIC_BASE_URL') })(named.name)),
      cacheMark: anthropicCache,
    };
  },

  async google(named) {
    const apiKey = needKey(named, ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY']);
    const { createGoogle } = await import('@ai-sdk/google');
    return { model: v4(createGoogle({ apiKey, ...base(named) })(named.name)) };
  },

  async azure(named) {
    const { env, baseUrl, name } = named;
    const apiKey = needKey(named, ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY']);
    const resourceName = env['AZURE_RESOURCE_NAME'];
    const endpoint = env['AZURE_OPENAI_ENDPOINT'];
    const baseURL = baseUrl ?? (endpoint ? `${withoutSlashes(endpoint)}/openai` : undefined);
    if (baseURL === undefined && !resourceName)
      throw new Failure('config', 'azure needs to know your resource: set AZURE_RESOURCE_NAME, or give --base-url');
    const where =
      baseURL === undefined ? { fetch: fetchSameOrigin, resourceName: resourceName ?? '' } : served(baseURL);
    const { createAzure } = await import('@ai-sdk/azure');
    const apiVersion = env['AZURE_OPENAI_API_VERSION'];
    // Dated API versions address deployments by URL and have no Responses API there; `v1` has both.
    if (apiVersion && /^\d{4}-/.test(apiVersion))
      return { model: v4(createAzure({ ...where, apiKey, apiVersion, useDeploymentBasedUrls: true }).chat(name)) };
    const model = createAzure({ ...where, apiKey, ...(apiVersion ? { apiVersion } : {}) }).responses(name);
    return { model: v4(model), options: { azure: unstored(named) } };
  },

  async ollama(named) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const where = served(named.baseUrl ?? ollamaUrl(named.env));
    return { model: v4(createOpenAICompatible({ ...where, name: 'ollama', includeUsage: true })(named.name)) };
  },

  async 'openai-compatible'(named) {
    if (named.baseUrl === undefined)
      throw new Failure(
        'config',
        `${named.model} needs the address of its server: give --base-url, such as http://localhost:8000/v1`,
      );
    const apiKey = findKey(named, ['RUNWIRE_API_KEY']);
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const settings = { ...served(named.baseUrl), name: 'openai-compatible', includeUsage: true };
    return { model: v4(createOpenAICompatible({ ...settings, ...present({ apiKey }) })(named.name)) };
  },

  async replay({ name, env, cwd, pause }) {
    const { openReplay } = await import('./replay.ts');
    return openReplay(name, { env, cwd, ...present({ pause }) });
  },
};

export const providerNames: readonly string[] = Object.keys(providers);

/** `provider/name` → a model that is ready to use. Nothing is sent yet. */
export async function openModel(options: ModelOptions): Promise<OpenModel> {
  const slash = options.model.indexOf('/');
  const known = providerNames.join(', ');
  if (slash <= 0 || slash === options.model.length - 1)
    throw new Failure(
      'config',
      `a model is written provider/name, not "${options.model}"${withProvider(options.model)}; providers: ${known}`,
    );
  const provider = options.model.slice(0, slash);
  const open = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (open === undefined)
    throw new Failure('config', `unknown provider "${provider}"${nearest(provider, providerNames)}; known: ${known}`);
  return { id: options.model, ...(await open({ ...options, provider, name: options.model.slice(slash + 1) })) };
}

/** The provider can often be guessed from the beginning of a model's name. */
const families: readonly (readonly [beginning: RegExp, provider: string])[] = [
  [/^(?:gpt-|o\d|codex|chatgpt)/, 'openai'],
  [/^claude/, 'anthropic'],
  [/^gemini/, 'google'],
  [/^(?:llama|qwen|mistral|gemma|phi|deepseek)/, 'ollama'],
];

/** ` (did you mean …?)` for a name without its provider: `claude-sonnet-4-5`, `anthropic:claude-sonnet-4-5`. */
function withProvider(model: string): string {
  const [before = '', after = ''] = model.split(/:(.*)/s);
  if (after !== '' && Object.hasOwn(providers, before)) return ` (did you mean "${before}/${after}"?)`;
  const provider = families.find(([beginning]) => beginning.test(model))?.[1];
  return provider === undefined ? '' : ` (did you mean "${provider}/${model}"?)`;
}

function v4(model: { specificationVersion: string }): Model {
  return model as Model;
}

/** The provider does not store the conversation; it only caches what speeds up the next request. */
function unstored({ sessionId }: Named): ProviderOptions[string] {
  return { store: false, promptCacheKey: sessionId };
}

function findKey({ env, keys, provider }: Named, variables: readonly string[]): string | undefined {
  for (const variable of variables) if (env[variable]) return checkKey(env[variable], variable);
  const configured = keys?.[provider];
  return configured ? checkKey(configured, `keys.${provider} in your config`) : undefined;
}

/** A header allows no other characters, and the error about one would quote the key. */
function checkKey(key: string, place: string): string {
  const at = key.search(/[^!-~]/);
  if (at === -1) return key;
  const found = /\s/.test(key[at] ?? '') ? 'a blank or a line break' : 'not an ASCII character';
  throw new Failure(
    'config',
    `${place} is not a key: its character ${at + 1} is ${found}; copy the key again, without anything around it`,
  );
}

function needKey(named: Named, variables: readonly string[]): string {
  const key = findKey(named, variables);
  if (key === undefined)
    throw new Failure(
      'config',
      `no API key for ${named.provider}: set ${variables.join(' or ')}, or keys.${named.provider} in your config`,
    );
  return key;
}

interface Served {
  baseURL?: string;
  fetch: typeof fetch;
}

function base({ baseUrl, env }: Named, variable?: string): Served {
  const url = baseUrl ?? (variable === undefined ? undefined : env[variable]);
  return url ? served(url) : { fetch: fetchSameOrigin };
}

/** The query of a base URL is added to every request. */
function served(address: string): Served & { baseURL: string } {
  const query = checkUrl(address).search(/[?#]/);
  if (query === -1) return { baseURL: address, fetch: fetchSameOrigin };
  const more = new URL(address).searchParams;
  return {
    baseURL: address.slice(0, query),
    fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : input);
      for (const [name, value] of more) url.searchParams.append(name, value);
      return fetchSameOrigin(url, init);
    },
  };
}

function withoutSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

function checkUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new Failure(
      'config',
      `not the address of a model server: "${withoutPassword(url)}" (expected http://… or https://…)`,
    );
  if (parsed.username !== '' || parsed.password !== '')
    throw new Failure(
      'config',
      `the address of a model server cannot hold a user name or password: "${withoutPassword(url)}"; give a key instead`,
    );
  return url;
}

/** `OLLAMA_HOST` is written for the server: a bare host or port, and `0.0.0.0` for "every address of this machine". */
function ollamaUrl(env: Named['env']): string {
  const given = env['OLLAMA_BASE_URL'] || env['OLLAMA_HOST'] || '127.0.0.1';
  const local = given.startsWith(':') ? `127.0.0.1${given}` : given;
  const hasScheme = /^https?:\/\//.test(local);
  const url = new URL(checkUrl(hasScheme ? local : `http://${local}`));
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  // With a scheme, its default port applies; without one, Ollama's own.
  if (!hasScheme && url.port === '' && !local.endsWith(':80')) url.port = '11434';
  return url.pathname === '/' ? new URL('v1', url).href : url.href;
}
