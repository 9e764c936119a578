import { signal } from '@preact/signals';
import type { EventOf, EventRecord, ItemKind, ItemStatus } from '../../src/events/event.ts';
import { subject } from '../../src/events/subject.ts';
import { type Tokens, UsageTotals } from '../../src/outcome/usage.ts';

export type RowKind = 'prompt' | 'text' | 'reasoning' | 'tool' | 'notice' | 'log' | 'turn' | 'end';
type Tone = 'good' | 'bad' | 'warn' | 'info';

export interface FileEdit {
  path: string;
  operation: 'created' | 'modified' | 'deleted';
  seq: number;
  additions?: number | undefined;
  deletions?: number | undefined;
  diff?: string | undefined;
  /** The call that made it. */
  call?: Row | undefined;
}

export interface ToolPart {
  id: string;
  name: string;
  kind: ItemKind;
  args: unknown;
  about: string;
  status?: ItemStatus;
  exitCode?: number | undefined;
  durationMs?: number | undefined;
  error?: string | undefined;
  files: FileEdit[];
}

/** One line of the transcript: a call and its result are one. */
export interface Row {
  kind: RowKind;
  /** The event that began it, and the last one that changed it. */
  seq: number;
  lastSeq: number;
  /** Milliseconds since the epoch. */
  at?: number | undefined;
  endAt?: number | undefined;
  turn: number;
  isNested: boolean;
  text: string;
  label: string;
  tone: Tone;
  isOpen: boolean;
  tool?: ToolPart;
}

export interface Turn {
  number: number;
  seq: number;
  at?: number | undefined;
  endAt?: number | undefined;
  model?: string | undefined;
}

export interface UsagePoint {
  at: number;
  tokens: number;
  cost?: number | undefined;
}

export interface ChangedFile {
  path: string;
  operation: FileEdit['operation'];
  edits: FileEdit[];
}

export const eventTypes = [
  'thread.started',
  'prompt.submitted',
  'turn.started',
  'turn.completed',
  'text.delta',
  'text.completed',
  'reasoning.delta',
  'reasoning.completed',
  'item.started',
  'item.output',
  'item.completed',
  'file.edited',
  'permission.requested',
  'permission.resolved',
  'usage.reported',
  'children.reported',
  'retry.scheduled',
  'limit.reached',
  'rate_limit.reported',
  'branch.updated',
  'branch.published',
  'log',
  'error',
  'agent.finished',
  'process.ended',
  'line.unknown',
  'thread.completed',
] as const satisfies readonly EventRecord['type'][];

const typeCode = new Map<string, number>(eventTypes.map((type, index) => [type, index]));
const outputKept = 4_000_000;

/** What the page knows of a run: records go in once and in order, rows come out. */
export class RunModel {
  readonly rows: Row[] = [];
  readonly turns: Turn[] = [];
  readonly files = new Map<string, ChangedFile>();
  readonly usage: UsagePoint[] = [];
  /** Changes whenever rows did, at most once a frame. */
  readonly version = signal(0);
  /** The type of every event, by sequence: one byte each. */
  types = new Uint8Array(1024);
  lastSeq = 0;
  firstAt: number | undefined;
  lastAt: number | undefined;
  tools = 0;
  failedTools = 0;
  isEnded = false;
  tokens: Tokens = {};
  readonly #totals = new UsageTotals();
  readonly #blocks = new Map<string, Row>();
  readonly #items = new Map<string, Row>();
  readonly #permissions = new Map<string, Row>();
  #isScheduled = false;

  /** What was seen before is not seen again. */
  feed(records: readonly EventRecord[]): void {
    for (const record of records) {
      if (record.sequence <= this.lastSeq) continue;
      this.lastSeq = record.sequence;
      this.#remember(record);
      const at = record.timestamp === null ? undefined : Date.parse(record.timestamp);
      if (at !== undefined && !Number.isNaN(at)) {
        this.firstAt = Math.min(this.firstAt ?? at, at);
        this.lastAt = Math.max(this.lastAt ?? at, at);
      }
      this.#apply(record, at);
    }
    this.#changed();
  }

  #changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.version.value += 1;
    });
  }

  #remember({ sequence, type }: EventRecord): void {
    if (sequence >= this.types.length) {
      const more = new Uint8Array(Math.max(this.types.length * 2, sequence + 1));
      more.set(this.types);
      this.types = more;
    }
    this.types[sequence] = (typeCode.get(type) ?? 254) + 1;
  }

  typeAt(sequence: number): string | undefined {
    const code = this.types[sequence] ?? 0;
    return code === 0 ? undefined : eventTypes[code - 1];
  }

  #row(kind: RowKind, { sequence }: EventRecord, at: number | undefined, more: Partial<Row> = {}): Row {
    const turn = this.turns.at(-1)?.number ?? 0;
    const row: Row = {
      kind,
      seq: sequence,
      lastSeq: sequence,
      at,
      turn,
      isNested: false,
      text: '',
      label: '',
      tone: 'info',
      isOpen: false,
      ...more,
    };
    this.rows.push(row);
    return row;
  }

  #apply(event: EventRecord, at: number | undefined): void {
    switch (event.type) {
      case 'thread.started':
        if (event.resumed === true) this.#totals.resume({});
        this.#row('notice', event, at, { label: event.resumed === true ? 'Session resumed' : 'Session began', text: sentence(event) });
        return;
      case 'prompt.submitted':
        this.#row('prompt', event, at, { text: event.text, label: 'Prompt' });
        return;
      case 'turn.started':
        this.turns.push({ number: event.iteration, seq: event.sequence, at, model: event.model });
        this.#row('turn', event, at, { turn: event.iteration, label: `Turn ${event.iteration}`, text: event.model ?? '', isOpen: true });
        return;
      case 'turn.completed': {
        const turn = this.turns.at(-1);
        if (turn !== undefined) turn.endAt = at;
        return;
      }
      case 'text.delta':
      case 'reasoning.delta':
        this.#block(event, at).text += event.text;
        return;
      case 'text.completed':
      case 'reasoning.completed': {
        const row = this.#block(event, at);
        row.text = event.text;
        row.isOpen = false;
        row.endAt = at;
        this.#blocks.delete(event.block_id);
        return;
      }
      case 'item.started':
        this.tools += 1;
        this.#items.set(
          event.item_id,
          this.#row('tool', event, at, {
            isOpen: true,
            isNested: event.parent_item_id !== undefined,
            label: event.name,
            tool: {
              id: event.item_id,
              name: event.name,
              kind: event.kind,
              args: event.args,
              about: subject(event.args).slice(0, 2000),
              files: [],
            },
          }),
        );
        return;
      case 'item.output': {
        const row = this.#items.get(event.item_id);
        if (row === undefined) return;
        row.lastSeq = event.sequence;
        if (row.text.length < outputKept) row.text += event.chunk;
        return;
      }
      case 'item.completed':
        return this.#itemEnded(event, at);
      case 'file.edited':
        return this.#edited(event, at);
      case 'permission.requested':
        this.#permissions.set(
          event.permission_id,
          this.#row('notice', event, at, { label: 'Asks for permission', text: event.title ?? event.what, tone: 'warn', isOpen: true }),
        );
        return;
      case 'permission.resolved': {
        const asked = this.#permissions.get(event.permission_id);
        const row = asked ?? this.#row('notice', event, at);
        this.#permissions.delete(event.permission_id);
        row.isOpen = false;
        row.lastSeq = event.sequence;
        const by = event.by === undefined ? '' : ` by ${event.by === 'rule' ? 'a rule' : `the ${event.by}`}`;
        row.label = event.decision === 'allowed' ? `Allowed${by}` : `Denied${by}`;
        row.tone = event.decision === 'allowed' ? 'info' : 'bad';
        return;
      }
      case 'usage.reported': {
        this.#totals.report(event);
        this.tokens = this.#totals.total();
        const when = at ?? this.lastAt;
        if (when !== undefined) this.#usagePoint(when);
        return;
      }
      case 'children.reported':
        return;
      case 'retry.scheduled': {
        if (event.scope === 'run') this.#totals.nextAttempt(event.resumes === true);
        const wait = event.delay_ms === undefined ? '' : ` after ${(event.delay_ms / 1000).toFixed(1)} s`;
        const number =
          event.attempt === undefined ? '' : ` ${event.attempt}${event.max_attempts === undefined ? '' : ` of ${event.max_attempts}`}`;
        this.#row('notice', event, at, {
          label: event.scope === 'run' ? `The agent is started again${wait}` : `Retry${number}${wait}`,
          text: event.cause,
          tone: 'warn',
          endAt: at === undefined ? undefined : at + (event.delay_ms ?? 0),
        });
        return;
      }
      case 'limit.reached':
        this.#row('notice', event, at, { label: `Limit reached: ${event.limit}`, text: event.message ?? figures(event), tone: 'bad' });
        return;
      case 'rate_limit.reported':
        this.#row('log', event, at, { label: 'Rate limit', text: [event.status, event.window].filter(Boolean).join(' ') });
        return;
      case 'branch.updated':
        this.#row('notice', event, at, {
          label: `Branch ${event.branch_id}`,
          text: [
            event.agent,
            event.status,
            event.verified === undefined ? '' : `verified: ${event.verified}`,
            event.winner === true ? 'winner' : '',
            event.remarks,
          ]
            .filter(Boolean)
            .join(' · '),
        });
        return;
      case 'branch.published':
        this.#row('notice', event, at, {
          label: event.dry_run === true ? 'Would publish' : event.status === 'success' ? 'Published' : 'Not published',
          text: [event.branch_id, event.remote, event.url, event.message].filter(Boolean).join(' · '),
          tone: event.status === 'success' ? 'good' : 'bad',
        });
        return;
      case 'log':
        this.#row('log', event, at, {
          label: event.cause ?? event.level ?? event.stream,
          text: event.text,
          tone: event.level === 'error' ? 'bad' : event.level === 'warning' || event.cause === 'broken' ? 'warn' : 'info',
        });
        return;
      case 'error':
        this.#row('notice', event, at, {
          label: event.fatal ? `Error (${event.code})` : `Error (${event.code}), the run goes on`,
          text: [event.http_status === undefined ? '' : `HTTP ${event.http_status}`, event.message, event.stack].filter(Boolean).join('\n'),
          tone: event.fatal ? 'bad' : 'warn',
        });
        return;
      case 'agent.finished':
        this.#row('end', event, at, {
          label: event.status === 'ok' ? 'The agent says: done' : `The agent says: ${event.status}`,
          text: event.message ?? '',
          tone: event.status === 'ok' ? 'good' : 'bad',
        });
        return;
      case 'process.ended':
        this.#row('end', event, at, {
          label: endOfProcess(event),
          text: event.left_running === undefined ? '' : `${event.left_running} processes that it left were ended`,
          tone: event.exit_code === 0 ? 'good' : 'bad',
        });
        return;
      case 'line.unknown':
        this.#row('log', event, at, { label: `Unknown ${event.dialect} line`, text: JSON.stringify(event.wire), tone: 'warn' });
        return;
      case 'thread.completed':
        this.isEnded = true;
        this.#row('end', event, at, {
          label: `Verdict: ${event.verdict.class.replaceAll('_', ' ')} (exit ${event.verdict.exit_code})`,
          text: event.summary,
          tone: event.status === 'success' ? 'good' : 'bad',
        });
        return;
      default:
        // A newer server may say more than this page knows.
        this.#row('log', event, at, { label: String((event as EventRecord).type), text: JSON.stringify(event) });
    }
  }

  #block(
    event: EventOf<'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed'> & EventRecord,
    at: number | undefined,
  ): Row {
    const known = this.#blocks.get(event.block_id);
    if (known !== undefined) {
      known.lastSeq = event.sequence;
      return known;
    }
    const isText = event.type.startsWith('text');
    const row = this.#row(isText ? 'text' : 'reasoning', event, at, {
      isOpen: true,
      isNested: event.parent_item_id !== undefined,
      label: isText ? 'Agent' : 'Reasoning',
    });
    this.#blocks.set(event.block_id, row);
    return row;
  }

  #itemEnded(event: EventOf<'item.completed'> & EventRecord, at: number | undefined): void {
    const row = this.#items.get(event.item_id);
    if (row?.tool === undefined) return;
    row.isOpen = false;
    row.lastSeq = event.sequence;
    row.tool.status = event.status;
    row.tool.exitCode = event.exit_code;
    row.tool.error = event.error;
    const told = event.duration_ms;
    row.tool.durationMs = told ?? (at === undefined || row.at === undefined ? undefined : Math.max(0, at - row.at));
    row.endAt = row.at === undefined ? at : row.tool.durationMs === undefined ? at : row.at + row.tool.durationMs;
    if (event.output !== undefined && event.output !== null)
      row.text = typeof event.output === 'string' ? event.output : JSON.stringify(event.output, null, 2);
    row.tone = event.status === 'success' ? 'good' : event.status === 'error' ? 'bad' : 'warn';
    if (event.status === 'error' || event.status === 'denied') this.failedTools += 1;
  }

  #edited(event: EventOf<'file.edited'> & EventRecord, at: number | undefined): void {
    const { path, operation, additions, deletions, diff } = event;
    const edit: FileEdit = { path, operation, seq: event.sequence, additions, deletions, diff };
    const file = this.files.get(path);
    if (file === undefined) this.files.set(path, { path, operation, edits: [edit] });
    else {
      file.edits.push(edit);
      if (!(file.operation === 'created' && operation === 'modified')) file.operation = operation;
    }
    const row = event.item_id === undefined ? undefined : this.#items.get(event.item_id);
    if (row?.tool === undefined) this.#row('notice', event, at, { label: `File ${operation}`, text: path });
    else {
      edit.call = row;
      row.tool.files.push(edit);
      row.lastSeq = event.sequence;
    }
  }

  #usagePoint(at: number): void {
    const { input = 0, output = 0, cost } = this.tokens;
    const last = this.usage.at(-1);
    if (last !== undefined && this.usage.length > 2000) this.usage.splice(0, 1);
    this.usage.push({ at: Math.max(at, last?.at ?? at), tokens: input + output, cost });
  }
}

function sentence({ agent, agent_version: version, model, cwd }: EventOf<'thread.started'>): string {
  return [agent === undefined ? undefined : [agent, version].filter(Boolean).join(' '), model, cwd === undefined ? undefined : `in ${cwd}`]
    .filter(Boolean)
    .join(' · ');
}

function figures({ value, maximum }: EventOf<'limit.reached'>): string {
  return value === undefined ? '' : maximum === undefined ? String(value) : `${value} of ${maximum}`;
}

function endOfProcess({ exit_code: code, signal: name, reason }: EventOf<'process.ended'>): string {
  if (reason === 'timeout') return 'The process was ended: out of time';
  if (reason === 'lost') return 'Nobody saw how the process ended';
  return name === null ? `The process exited with ${code ?? '?'}` : `The process was ended by ${name}`;
}
