import type { EventOf } from '../../../events/event.ts';
import { soundsSecret } from '../../../redact/secret-names.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { isObject } from '../../../json/read.ts';
import { allowedArgs } from '../words.ts';
import { masked } from './masked.ts';
import { promptPreview, shorten } from './preview.ts';

/** Arguments nested deeper than this are left out. */
const maxDepth = 20;
/** How many entries of a list of prompts or names are shown. */
const maxListed = 20;

/** The arguments of a call that may be shown: those listed for dev-agent's own tools, all but secrets for others; long texts are cut. */
export function safeArgs({ args, name, kind }: EventOf<'item.started'>): { args: JsonObject; isCut: boolean } {
  const safe = new Safe();
  const fields = isObject(args) ? args : args === null ? {} : { value: args };
  if (!isObject(args) && args !== null) safe.isCut = true;
  const allowed = Object.hasOwn(allowedArgs, name) ? allowedArgs[name] : undefined;
  const shown = allowed === undefined ? safe.object(fields, 0) : safe.listed(fields, allowed);
  return {
    args: allowed !== undefined || kind === 'subagent' ? safe.previews(fields, shown) : shown,
    isCut: safe.isCut,
  };
}

/** The same for an unknown line: all of it except secrets. */
export function withoutSecrets(fields: JsonObject): JsonObject {
  return new Safe(Number.POSITIVE_INFINITY).object(fields, 0);
}

class Safe {
  readonly #longest: number;
  /** Whether anything was left out. */
  isCut = false;

  constructor(longest = promptPreview) {
    this.#longest = longest;
  }

  listed(fields: JsonObject, allowed: readonly string[]): JsonObject {
    const shown: JsonObject = {};
    for (const name in fields) {
      const value = fields[name];
      const isText =
        typeof value === 'string' || (Array.isArray(value) && value.every((each) => typeof each === 'string'));
      if (allowed.includes(name) && (isText || typeof value === 'number' || typeof value === 'boolean'))
        shown[name] = Array.isArray(value) ? this.#first(value) : this.#value(value, 0);
      else if (name !== 'prompt' && name !== 'prompts') this.isCut = true;
    }
    return shown;
  }

  /** Of prompts, only the beginning is shown. */
  previews(fields: JsonObject, { prompt: _prompt, prompts: _prompts, ...shown }: JsonObject): JsonObject {
    const wasCut = this.isCut;
    this.isCut = false;
    if (typeof fields.prompt === 'string') shown.prompt_preview = this.#text(fields.prompt);
    else if (fields.prompt !== undefined) this.isCut = true;
    if (Array.isArray(fields.prompts)) {
      this.isCut ||= fields.prompts.length > maxListed;
      shown.prompt_previews = fields.prompts.slice(0, maxListed).map((each) => this.#text(promptIn(each)));
    } else if (fields.prompts !== undefined) this.isCut = true;
    if (this.isCut) shown.prompt_truncated = true;
    this.isCut ||= wasCut;
    return shown;
  }

  object(fields: JsonObject, depth: number): JsonObject {
    const shown: [string, Json][] = [];
    const named = [fields.name, fields.key, fields.header].find((each) => typeof each === 'string');
    const isSecretPair = typeof named === 'string' && soundsSecret(named);
    for (const name in fields) {
      if (/^headers?$/i.test(name) && typeof fields[name] === 'string' && fields[name].split('\n').some(isAssignment))
        this.isCut = true;
      else if (
        name.length > promptPreview ||
        soundsSecret(name) ||
        (isSecretPair && pairValues.has(name.toLowerCase()))
      )
        this.isCut = true;
      else shown.push([name, this.#value(fields[name] ?? null, depth + 1)]);
    }
    return Object.fromEntries(shown);
  }

  #value(value: Json, depth: number): Json {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > maxDepth) {
      this.isCut = true;
      return null;
    }
    return Array.isArray(value) ? this.#list(value, depth) : this.object(value, depth);
  }

  /** A list may hold names and values too: `["TOKEN", "x"]`, `["--token", "x"]`, `["TOKEN=x"]`. */
  #list(values: readonly Json[], depth: number): Json[] {
    const shown: Json[] = [];
    for (const [index, value] of values.entries()) {
      const before = index === 0 ? undefined : values[index - 1];
      const isValue =
        typeof before === 'string' && (before.startsWith('-') || values.length === 2) && isSecretWord(before);
      if (isValue || (typeof value === 'string' && isAssignment(value))) this.isCut = true;
      else shown.push(this.#value(value, depth + 1));
    }
    return shown;
  }

  #first(values: readonly Json[]): Json[] {
    if (values.length > maxListed) this.isCut = true;
    return this.#list(values.slice(0, maxListed), 0);
  }

  #text(text: string): string {
    const inside = this.#inside(text);
    // Only the beginning of a long text is shown.
    const head = inside.slice(0, this.#longest * 4);
    const clean = masked(head);
    const { text: shown, cut } = shorten(clean, this.#longest);
    this.isCut ||= cut || clean !== head || head !== inside;
    return shown;
  }

  /** A text may itself be JSON. */
  #inside(text: string): string {
    if (!/^\s*[{[]/.test(text)) return text;
    try {
      const inside = new Safe(Number.POSITIVE_INFINITY);
      const shown = inside.#value(JSON.parse(text) as Json, 0);
      if (!inside.isCut) return text;
      this.isCut = true;
      return JSON.stringify(shown);
    } catch {
      return text;
    }
  }
}

/** The usual keys for a value whose name is in a sibling field. */
const pairValues: ReadonlySet<string> = new Set([
  'value',
  'values',
  'val',
  'content',
  'contents',
  'data',
  'default',
  'text',
]);

function isSecretWord(word: string): boolean {
  return word.length <= promptPreview && /^[\w.-]+$/.test(word) && soundsSecret(word);
}

function isAssignment(text: string): boolean {
  const name = /^\s{0,8}([\w.-]{1,64})\s{0,8}[:=]/.exec(text)?.[1];
  return name !== undefined && soundsSecret(name);
}

function promptIn(value: Json): string {
  if (typeof value === 'string') return value;
  return isObject(value) && typeof value.prompt === 'string' ? value.prompt : '';
}
