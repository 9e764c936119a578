import { z } from 'zod';
import { ErrorCode } from '../../events/event.ts';
import { cutAfter } from '../../redact/cut.ts';
import type { ModelPart, ModelRequest } from './model.ts';
import { cleanJson } from '../clean.ts';
import { isObject } from '../../json/read.ts';

/** Stands for the working directory in a recording, so that it can be replayed in another one. */
const cwdMark = '{{runwire:cwd}}';

const Call = z.strictObject({ name: z.string(), args: z.string() });
const Result = z.strictObject({ name: z.string(), outcome: z.enum(['ok', 'failed', 'denied']), output: z.string() });
/** One message of the conversation, reduced to what can be compared. */
export const Entry = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), text: z.string() }),
  z.strictObject({ role: z.literal('assistant'), text: z.string(), calls: z.array(Call) }),
  z.strictObject({ role: z.literal('tool'), results: z.array(Result) }),
]);
export type Entry = z.infer<typeof Entry>;

export const RecordedFault = z.object({
  code: ErrorCode,
  message: z.string(),
  retryable: z.boolean(),
  name: z.string().exactOptional(),
  http_status: z.int().exactOptional(),
  retryAfterMs: z.number().nonnegative().exactOptional(),
});

export const RecordingHead = z.looseObject({
  runwire: z.literal('model-recording'),
  version: z.literal(1),
  model: z.string(),
});

/** One model call: what was new in the conversation, and what arrived when. */
export const RecordedCall = z.looseObject({
  call: z.int().positive(),
  /** How many entries of the previous call are still there; `entries` follow them. */
  after: z.int().nonnegative(),
  entries: z.array(Entry),
  /** Milliseconds since the request, and the part; errors are stored as faults. */
  parts: z.array(z.tuple([z.number(), z.looseObject({ type: z.string() })])),
  /** The call failed before anything arrived. */
  fault: RecordedFault.optional(),
});
export type RecordedCall = z.infer<typeof RecordedCall>;

type Prompt = ModelRequest['prompt'];
type ResultOutput = Extract<
  Extract<Prompt[number], { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output'];

/** The conversation without its instructions, with `clean` applied to every text. */
export function entriesOf(prompt: Prompt, clean: (text: string) => string): Entry[] {
  return prompt.flatMap((message): Entry[] => {
    switch (message.role) {
      case 'system':
        return [];
      case 'user':
        return [{ role: 'user', text: clean(textOf(message.content)) }];
      case 'assistant': {
        const calls = message.content.filter((part) => part.type === 'tool-call');
        return [
          {
            role: 'assistant',
            text: clean(textOf(message.content)),
            calls: calls.map((part) => ({ name: clean(part.toolName), args: cleanJson(canonical(part.input), clean) })),
          },
        ];
      }
      case 'tool': {
        const results = message.content.filter((part) => part.type === 'tool-result');
        return [
          {
            role: 'tool',
            results: results.map((part) => ({ name: clean(part.toolName), ...resultOf(part.output, clean) })),
          },
        ];
      }
    }
  });
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('\n');
}

function resultOf(
  output: ResultOutput,
  clean: (text: string) => string,
): { outcome: 'ok' | 'failed' | 'denied'; output: string } {
  if (output.type === 'execution-denied') return { outcome: 'denied', output: clean(output.reason ?? '') };
  const isError = output.type === 'error-text' || output.type === 'error-json';
  const text = typeof output.value === 'string' ? clean(output.value) : cleanJson(JSON.stringify(output.value), clean);
  return { outcome: isError ? 'failed' : 'ok', output: cutAfter(text, 4096) };
}

/** Equal values give equal text, whatever the order of their fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

/** The part of an entry that must be the same in a replay: who speaks, and which calls ended how. */
export function describeEntry(entry: Entry | undefined): string {
  switch (entry?.role) {
    case undefined:
      return 'the end of the conversation';
    case 'user':
      return 'a user message';
    case 'assistant':
      return entry.calls.length === 0
        ? 'an answer without calls'
        : `an answer that calls ${entry.calls.map(({ name, args }) => `${name} ${args}`).join(' and ')}`;
    case 'tool':
      return `results of ${entry.results.map(({ name, outcome }) => `${name} (${outcome})`).join(' and ')}`;
  }
}

/** Parts that matter in a replay; deltas of a call's arguments are left out, since the call repeats them as a whole. */
export function isRecorded(part: ModelPart): boolean {
  return !/^(?:tool-input-|response-metadata$|raw$|ping$)/.test(part.type);
}

/** The working directory ↔ its mark. */
export function cwdMarks(cwd: string): {
  mark(text: string): string;
  unmark(text: string): string;
  unmarkJson(text: string): string;
} {
  const inJson = JSON.stringify(cwd).slice(1, -1);
  const spellings = [...new Set([inJson, cwd])].map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // Every path begins with the root folder: marking it would be pointless.
  const pattern = cwd.length < 2 ? undefined : new RegExp(`(?:${spellings.join('|')})(?![\\w-])`, 'g');
  return {
    mark: (text) => (pattern === undefined ? text : text.replace(pattern, () => cwdMark)),
    unmark: (text) => text.replaceAll(cwdMark, () => cwd),
    unmarkJson: (text) => text.replaceAll(cwdMark, () => inJson),
  };
}
