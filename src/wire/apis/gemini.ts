import type { FinishReason } from '../../events/event.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { filled, list, object } from '../../json/read.ts';
import { present } from '../../json/present.ts';
import { type Api, type Meter, noReading, type Reading } from './api.ts';
import { count, eventOf, finished, most, timesMost, tokenCount, toldError } from './words.ts';

const finishes: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'error',
};

/** The Gemini API of Google. */
export const gemini: Api = {
  name: 'gemini',
  path: /\/models\/[\w.-]+(?::|%3A)(?:generateContent|streamGenerateContent)$/i,
  facts(body, path) {
    const tools = list(body.tools).map(object);
    // The server reads names in either spelling.
    const config = { ...object(body.generation_config), ...object(body.generationConfig) };
    return {
      model: /\/models\/([\w.-]+)/.exec(path)?.[1],
      maxOutput: timesMost(
        most(config.maxOutputTokens, config.max_output_tokens),
        most(config.candidateCount, config.candidate_count),
      ),
      tools: tools.reduce((sum, tool) => sum + functionsOf(tool) + hostedBy(tool).length, 0),
      hostedTools: [...new Set(tools.flatMap(hostedBy))],
      continues: list(body.contents).some((content) => object(content).role === 'model'),
    };
  },
  meter: () => new GeminiMeter(),
  refusal: (message) => ({ error: { code: 400, message, status: 'FAILED_PRECONDITION' } }),
};

/** A tool is an object whose one field names it; functions are the agent's own. */
function hostedBy(tool: JsonObject): string[] {
  return Object.keys(tool).filter((name) => !functions.some((each) => each === name));
}

const functions = ['functionDeclarations', 'function_declarations'] as const;

function functionsOf(tool: JsonObject): number {
  return functions.reduce((sum, name) => sum + list(tool[name]).length, 0);
}

class GeminiMeter implements Meter {
  #reading = noReading();
  #hasCalled = false;
  /** Every event counts everything so far: only the last one is read, and those that say more than counts. */
  #last = '';

  get reading(): Reading {
    this.#readLast();
    return this.#reading;
  }

  event(_name: string, data: string): void {
    this.#hasCalled ||= data.includes('"functionCall"');
    const saysMore = /"(?:error|finishReason|blockReason|webSearchQueries)"/.test(data);
    if (saysMore) this.#readLast();
    if (saysMore) this.#read(eventOf(data));
    else if (data.includes('"usageMetadata"')) this.#last = data;
  }

  body(body: Json): void {
    const answers = Array.isArray(body) ? body : [body];
    for (const answer of answers) {
      const [candidate] = list(object(answer).candidates).map(object);
      this.#hasCalled ||= list(object(candidate?.content).parts).some(
        (part) => object(part).functionCall !== undefined,
      );
      this.#read(object(answer));
    }
  }

  #readLast(): void {
    if (this.#last !== '') this.#read(eventOf(this.#last));
    this.#last = '';
  }

  #read(answer: JsonObject): void {
    const [candidate = {}] = list(answer.candidates).map(object);
    const usage = object(answer.usageMetadata);
    Object.assign(this.#reading, present({ model: filled(answer.modelVersion), error: toldError(answer) }));
    const raw = filled(candidate.finishReason) ?? filled(object(answer.promptFeedback).blockReason);
    finished(this.#reading, this.#hasCalled ? { ...finishes, STOP: 'tool_calls' } : finishes, raw);
    if (raw !== undefined) this.#reading.isWhole = true;
    const searches = list(object(candidate.groundingMetadata).webSearchQueries).length;
    if (searches > 0) count(this.#reading, { webSearches: searches });
    const prompt = tokenCount(usage.promptTokenCount);
    if (prompt === undefined) return;
    const thoughts = tokenCount(usage.thoughtsTokenCount);
    const candidates = tokenCount(usage.candidatesTokenCount);
    count(this.#reading, {
      input: prompt + (tokenCount(usage.toolUsePromptTokenCount) ?? 0),
      output: candidates === undefined && thoughts === undefined ? undefined : (candidates ?? 0) + (thoughts ?? 0),
      cacheRead: tokenCount(usage.cachedContentTokenCount),
      reasoning: thoughts,
    });
    this.#reading.usage = this.#reading.isWhole ? 'final' : 'partial';
    // An answer that ends without a word has no candidates to count.
    if (this.#reading.isWhole) this.#reading.tokens.output ??= 0;
  }
}
