import type { Answer } from './answer.ts';
import type { Format } from './format.ts';
import { lastResults, type FormatId, type ModelRequest, type ToolResult } from './request.ts';
import type { Fault, Usage } from './script.ts';

export interface ServedAnswer {
  text: string;
  reasoning?: string;
  calls?: { id: string; name: string; args?: unknown; input?: string }[];
  usage: Usage;
}

export interface ServedRequest {
  /** Counts from one. */
  request: number;
  format: FormatId;
  stream: boolean;
  model: string;
  turn?: number;
  side?: true;
  system: string;
  tools: string[];
  /** What came back for the calls of the answer before. */
  toolResults?: ToolResult[];
  /** Keys are left out. */
  headers: Record<string, string>;
  answer?: ServedAnswer;
  fault?: Fault | { type: 'script-exhausted' | 'bad-request' | 'bad-key' };
  /** The whole answer was handed over. */
  done?: true;
  /** The client left before that. */
  aborted?: true;
}

/** What the server answered, in order: what a test compares with. */
export interface ServedLog {
  note: string;
  toolsOffered: string[];
  requests: ServedRequest[];
}

const keyHeaders = new Set(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie']);

export function servedRequest(request: number, asked: ModelRequest, headers: Record<string, string>): ServedRequest {
  const { format, stream, model, system, tools } = asked;
  const toolResults = lastResults(asked);
  return {
    request,
    format,
    stream,
    model,
    system,
    tools,
    ...(toolResults.length > 0 ? { toolResults } : {}),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !keyHeaders.has(name))),
  };
}

function parsed(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

export function servedAnswer({ text, reasoning, calls, usage }: Answer, format: Format): ServedAnswer {
  const said = calls.filter((call) => format.canSay?.(call) ?? true);
  return {
    text,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(said.length === 0
      ? {}
      : {
          calls: said.map(({ id, name, args, input }) => ({
            id,
            name,
            ...(input === undefined ? { args: parsed(args) } : { input }),
          })),
        }),
    usage,
  };
}
