import { basename, dirname } from 'node:path';
import { readMessagesUsage } from '../../dialects/kit/messages-usage.ts';
import { isAny } from '../../dialects/kit/tokens.ts';
import { totalsIn } from '../../dialects/claude/read/usage.ts';
import { synthetic } from '../../dialects/claude/words.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { asText, filled, isObject, object, string, time } from '../../json/read.ts';
import { tierOfMessages } from '../../outcome/service-tier.ts';
import type { FileFacts, Found, LineFormat, LineReader } from './format.ts';
import { Picker } from './pick.ts';
import { counted } from './tokens.ts';

/** Session files of Claude Code, `projects/FOLDER/SESSION.jsonl`, and those of its sub-agents. */
export const claude: LineFormat = {
  kind: 'lines',
  marks: ['"usage"'],
  lastMarks: ['"cost-state"'],
  reader: (file, found, state) => new ClaudeReader(file, found, object(state)),
};

const usage = {
  input_tokens: true,
  output_tokens: true,
  cache_read_input_tokens: true,
  cache_creation_input_tokens: true,
  cache_creation: { ephemeral_1h_input_tokens: true },
  server_tool_use: { web_search_requests: true },
  service_tier: true,
  speed: true,
  inference_geo: true,
} as const;

const picker = new Picker({
  type: true,
  timestamp: true,
  sessionId: true,
  agentId: true,
  cwd: true,
  isSidechain: true,
  requestId: true,
  uuid: true,
  error: true,
  isApiErrorMessage: true,
  message: { id: true, model: true, usage },
  // Of a total.
  modelUsage: true,
  totalCostUSD: true,
  costBasis: true,
  hasUnknownModelCost: true,
});

/** The lines of one message follow each other closely. */
const rememberedMessages = 64;

class ClaudeReader implements LineReader {
  readonly #found: Found;
  readonly #file: FileFacts;
  #session: string | undefined;
  #agent: string | undefined;
  #cwd: string | undefined;
  /** The last place that was asked for, and whose it is. */
  #place: { id: string; number: number } | undefined;
  /** How each message is known, by its id. */
  readonly #identities: Map<string, string>;
  /** The last total, as long as no message follows. */
  #total: JsonObject | undefined;

  constructor(file: FileFacts, found: Found, { session, agent, cwd, messages, total }: JsonObject) {
    this.#file = file;
    this.#found = found;
    this.#session = string(session);
    this.#agent = string(agent);
    this.#cwd = string(cwd);
    this.#identities = new Map(Object.entries(object(messages)).map(([id, identity]) => [id, asText(identity)]));
    this.#total = isObject(total) ? total : undefined;
  }

  get wantsAll(): boolean {
    return this.#session === undefined || this.#cwd === undefined;
  }

  get state(): Json {
    return {
      session: this.#session ?? null,
      agent: this.#agent ?? null,
      cwd: this.#cwd ?? null,
      messages: Object.fromEntries([...this.#identities].slice(-rememberedMessages)),
      total: this.#total ?? null,
    };
  }

  line(bytes: Buffer, from: number, to: number): void {
    const wire = picker.pick(bytes, from, to);
    if (wire === undefined) return this.#found.damaged();
    this.#session ??= filled(wire.sessionId);
    this.#cwd ??= filled(wire.cwd);
    // A file of its own consists entirely of lines of its sub-agent.
    if (isPart(this.#file.path) && wire.isSidechain === true) this.#agent ??= filled(wire.agentId);
    if (wire.type === 'assistant') this.#message(wire);
    else if (wire.type === 'cost-state') this.#total = wire;
  }

  end(): void {
    const total = this.#total;
    if (total === undefined) return;
    for (const [model, tokens] of totalsIn(total))
      this.#found.call({
        session: this.#placeOf(filled(total.sessionId)),
        kind: 'total',
        at: time(total.timestamp) ?? this.#file.at,
        model: model || undefined,
        ...counted(tokens),
      });
  }

  #message(wire: JsonObject): void {
    const body = object(wire.message);
    const isFailure = filled(wire.error) !== undefined || wire.isApiErrorMessage === true;
    const model = body.model === synthetic ? undefined : filled(body.model);
    const used = object(body.usage);
    const tokens = readMessagesUsage(used);
    if (!isAny(tokens) || (model === undefined && body.model === synthetic && !isFailure)) return;
    this.#total = undefined;
    this.#found.call({
      session: this.#placeOf(filled(wire.sessionId)),
      kind: wire.isSidechain === true && this.#agent === undefined ? 'sub-agent' : 'call',
      at: time(wire.timestamp),
      identity: this.#identityOf(body, wire),
      model,
      serviceTier: tierOfMessages(used),
      ...counted(tokens),
    });
  }

  /** Copies may have new ids of lines, but a model call keeps its own: that of its message and that of its request. */
  #identityOf({ id }: JsonObject, { requestId, timestamp, uuid }: JsonObject): string | undefined {
    if (typeof id !== 'string') return string(uuid);
    if (typeof requestId === 'string') return `${id} ${requestId}`;
    const known = this.#identities.get(id);
    if (known !== undefined) return known;
    const identity = `${id} ${string(timestamp) ?? ''}`;
    this.#identities.set(id, identity);
    return identity;
  }

  /** A resumed session may begin with lines of the one before, which keep its name. */
  #placeOf(named: string | undefined): number {
    const { path } = this.#file;
    const id = named ?? this.#session ?? basename(path, '.jsonl');
    if (this.#place?.id === id) return this.#place.number;
    const number = this.#found.session({
      id,
      project: this.#cwd ?? basename(isPart(path) ? dirname(dirname(dirname(path))) : dirname(path)),
      ...(this.#agent === undefined ? {} : { subAgent: this.#agent }),
    });
    this.#place = { id, number };
    return number;
  }
}

/** What a sub-agent did, in `SESSION/subagents` or, in older versions, beside the session. */
function isPart(path: string): boolean {
  return basename(path).startsWith('agent-');
}
