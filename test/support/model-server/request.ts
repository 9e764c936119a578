import { z } from 'zod';

export type FormatId = 'chat' | 'responses' | 'anthropic' | 'gemini';

export interface ToolResult {
  /** The id of the call, or the tool's name where the format has no ids. */
  call: string;
  result: string;
  error?: true;
}

export type Entry =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: string[]; ids: string[] }
  | { role: 'tool'; results: ToolResult[] };

/** A request in any of the formats, as a script's functions see it. */
export interface ModelRequest {
  format: FormatId;
  model: string;
  stream: boolean;
  system: string;
  /** Names of the tools offered. */
  tools: string[];
  /** The conversation; neighbours of the same role are one entry. */
  entries: Entry[];
  /** The body as it came. */
  body: Record<string, unknown>;
}

/** The results that came back for the last answer. */
export function lastResults({ entries }: ModelRequest): ToolResult[] {
  const last = entries.findLastIndex((entry) => entry.role === 'assistant');
  return entries.slice(last + 1).flatMap((entry) => (entry.role === 'tool' ? entry.results : []));
}

/** The last thing the user said. */
export function lastPrompt({ entries }: ModelRequest): string {
  return entries.findLast((entry) => entry.role === 'user')?.text ?? '';
}

export function joinEntries(entries: readonly Entry[]): Entry[] {
  const joined: Entry[] = [];
  for (const entry of entries) {
    const before = joined.at(-1);
    if (before?.role === 'assistant' && entry.role === 'assistant') {
      before.text += entry.text;
      before.calls.push(...entry.calls);
      before.ids.push(...entry.ids);
    } else if (before?.role === 'tool' && entry.role === 'tool') before.results.push(...entry.results);
    else if (before?.role === 'user' && entry.role === 'user') before.text += `\n${entry.text}`;
    else joined.push(entry);
  }
  return joined;
}

const Part = z.looseObject({ text: z.string().optional() });
/** Text as every format writes it: a string, or parts of which some have text. */
export const Content = z.union([z.string(), z.array(Part)]);
type Content = z.infer<typeof Content>;

export function textOf(content: Content | null | undefined): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
}

/** A tool's result as text: text stays, all else becomes JSON. */
export function resultText(value: unknown): string {
  if (typeof value === 'string') return value;
  const parts = z.array(z.looseObject({ text: z.string() })).safeParse(value);
  return parts.success ? textOf(parts.data) : (JSON.stringify(value) ?? '');
}
