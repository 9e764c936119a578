import type { ModelMessage } from 'ai';
import { safeEnd, safeStart } from '../redact/safe-cut.ts';

/** What is replaced by a summary, and what stays. */
export interface Compaction {
  /** The older part as text, for the model to summarise. */
  transcript: string;
  olderCount: number;
  kept: ModelMessage[];
}

export const summarySystem = `You sum up the work of a coding agent so that it can continue without the record of it.
Write plain text, at most 600 words: what was asked for, what was found out (with file names, commands and their results),
what was changed, what failed and why, and what is left to do. Leave out nothing that the next step needs. Call no tools.`;

/**
 * Plans to replace all but the last rounds by a summary. `promptAt` is the position of this run's prompt: it is always kept,
 * so the plan holds only what came before and after it. Undefined when there is nothing left to summarise.
 */
export function planCompaction(
  messages: readonly ModelMessage[],
  promptAt: number,
  level: 1 | 2,
): Compaction | undefined {
  const rounds = messages.flatMap((message, index) =>
    index > promptAt && message.role === 'assistant' ? [index] : [],
  );
  if (rounds.length === 0 && promptAt === 0) return undefined;
  const keep = level === 1 ? Math.min(2, Math.max(0, rounds.length - 1)) : 0;
  const cut = keep === 0 ? messages.length : (rounds.at(-keep) ?? messages.length);
  const older = messages.slice(0, cut);
  const limit = level === 1 ? 100_000 : 30_000;
  return {
    transcript: cutMiddle(older.map(describe).join('\n\n'), limit),
    olderCount: older.length,
    kept: messages.slice(cut),
  };
}

/** The prompt with a summary of the work so far. */
export function promptWithSummary(prompt: string, summary: string): ModelMessage {
  return {
    role: 'user',
    content: `${prompt}\n\n[The earlier part of this conversation was too long and was replaced by this summary.]\n${summary}`,
  };
}

function describe(message: ModelMessage): string {
  if (typeof message.content === 'string') return `${message.role}: ${message.content}`;
  const parts = message.content.map((part) => {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'tool-call':
        return `calls ${part.toolName} ${cutMiddle(JSON.stringify(part.input ?? {}), 2000)}`;
      case 'tool-result':
        return `${part.toolName} gave ${cutMiddle(JSON.stringify(part.output), 2000)}`;
      default:
        return '';
    }
  });
  return `${message.role}: ${parts.filter((part) => part !== '').join('\n')}`;
}

function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const before = text.slice(0, safeEnd(text, limit / 2)).toWellFormed();
  const after = text.slice(safeStart(text, text.length - limit / 2)).toWellFormed();
  return `${before}\n[… ${text.length - before.length - after.length} characters left out …]\n${after}`;
}
