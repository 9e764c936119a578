import type { EventOf } from '../../src/events/event.ts';
import { subject } from '../../src/events/subject.ts';
import { refusalInWords } from '../../src/outcome/network.ts';
import { changeInWords } from '../../src/outcome/warnings.ts';
import type { LeftOut } from '../../src/reports/report-records.ts';
import { dollars, plural, seconds, tokens } from '../../src/terminal/figures.ts';
import { clockTime } from '../parts/words.ts';
import type { FileEdit, Row, RowKind, SentRecord } from './row.ts';

/** Is called as rows are made. */
export interface RowListener {
  /** A new or changed row. */
  onRow(row: Row): void;
  onEdit(edit: FileEdit): void;
  /** The row is complete, except for the files that it changed. */
  onRowEnd(row: Row): void;
}

/** Files are reported right after the call that changed them. */
const endedKept = 64;

/** Folds records into rows; feed each record once, in order. It remembers only rows that have not ended. */
export class RowFold {
  lastSeq = 0;
  count = 0;
  readonly #listener: RowListener;
  /** How many characters of a growing text are kept. */
  readonly #textKept: number;
  readonly #blocks = new Map<string, Row>();
  readonly #items = new Map<string, Row>();
  readonly #ended = new Map<string, Row>();
  readonly #permissions = new Map<string, Row>();
  #turn: Row | undefined;

  constructor(listener: RowListener, textKept: number) {
    this.#listener = listener;
    this.#textKept = textKept;
  }

  /** Rows that may still grow. */
  get open(): Row[] {
    return [...this.#blocks.values(), ...this.#items.values(), ...this.#permissions.values()];
  }

  /** Whether a permission request is open. */
  get isAsking(): boolean {
    return this.#permissions.size > 0;
  }

  /** Ignores records that it has already seen. */
  feed(record: SentRecord): void {
    if (record.sequence <= this.lastSeq) return;
    this.lastSeq = record.sequence;
    const at = record.timestamp === null ? NaN : Date.parse(record.timestamp);
    this.#apply(record, Number.isNaN(at) ? undefined : at);
  }

  #row(kind: RowKind, { sequence, cut }: SentRecord, at: number | undefined, more: Partial<Row> = {}): Row {
    const row: Row = {
      index: this.count,
      kind,
      seq: sequence,
      endSeq: sequence,
      lastSeq: sequence,
      at,
      isNested: false,
      text: '',
      omitted: omittedIn(cut),
      label: '',
      tone: 'info',
      isOpen: false,
      isPause: false,
      isPieces: false,
      ...more,
    };
    this.count += 1;
    this.#listener.onRow(row);
    if (!row.isOpen) this.#listener.onRowEnd(row);
    return row;
  }

  #end(row: Row, { sequence, cut }: SentRecord, at: number | undefined): void {
    row.isOpen = false;
    row.lastSeq = sequence;
    row.endSeq = sequence;
    row.endAt ??= at;
    row.omitted += omittedIn(cut);
    this.#listener.onRow(row);
    this.#listener.onRowEnd(row);
  }

  #apply(event: SentRecord, at: number | undefined): void {
    switch (event.type) {
      case 'thread.started':
        this.#row('notice', event, at, {
          label: event.resumed === true ? 'Session resumed' : 'Session began',
          text: sentence(event),
        });
        return;
      case 'prompt.submitted':
        this.#row('prompt', event, at, { text: event.text, label: 'Prompt' });
        return;
      case 'turn.started':
        this.#endTurn(at);
        this.#turn = this.#row('turn', event, at, {
          turn: event.iteration,
          label: `Turn ${event.iteration}`,
          text: event.model ?? '',
          isOpen: true,
        });
        return;
      case 'turn.completed':
        return this.#endTurn(at);
      case 'text.delta':
      case 'reasoning.delta':
        return this.#grow(this.#block(event, at), event, event.text);
      case 'text.completed':
      case 'reasoning.completed': {
        const row = this.#block(event, at);
        row.text = event.text;
        row.omitted = 0;
        this.#blocks.delete(event.block_id);
        this.#end(row, event, at);
        return;
      }
      case 'item.started':
        this.#items.set(
          event.item_id,
          this.#row('tool', event, at, {
            isOpen: true,
            isNested: event.parent_item_id !== undefined,
            label: event.name,
            omitted: 0,
            tool: {
              name: event.name,
              kind: event.kind,
              args: event.args,
              about: subject(event.args).slice(0, 2000),
              omitted: omittedIn(event.cut),
              files: [],
            },
          }),
        );
        return;
      case 'item.output': {
        const row = this.#items.get(event.item_id);
        if (row === undefined) return;
        row.isPieces = true;
        return this.#grow(row, event, event.chunk);
      }
      case 'item.completed':
        return this.#itemEnded(event, at);
      case 'file.edited':
        return this.#edited(event, at);
      case 'permission.requested':
        this.#permissions.set(
          event.permission_id,
          this.#row('notice', event, at, {
            label: 'Asks for permission',
            text: event.title ?? event.what,
            tone: 'warn',
            isOpen: true,
          }),
        );
        return;
      case 'permission.resolved': {
        const row = this.#permissions.get(event.permission_id) ?? this.#row('notice', event, at, { isOpen: true });
        this.#permissions.delete(event.permission_id);
        const by = event.by === undefined ? '' : ` by ${event.by === 'rule' ? 'a rule' : `the ${event.by}`}`;
        row.label = event.decision === 'allowed' ? `Allowed${by}` : `Denied${by}`;
        row.tone = event.decision === 'allowed' ? 'info' : 'bad';
        this.#end(row, event, at);
        return;
      }
      case 'usage.reported':
      case 'children.reported':
        return;
      case 'retry.scheduled': {
        const wait = event.delay_ms === undefined ? '' : ` after ${seconds(event.delay_ms)}`;
        const number =
          event.attempt === undefined
            ? ''
            : ` ${event.attempt}${event.max_attempts === undefined ? '' : ` of ${event.max_attempts}`}`;
        this.#row('notice', event, at, {
          label:
            event.scope !== 'run'
              ? `Retry${number}${wait}`
              : event.agent === undefined
                ? `The agent is restarted${wait}`
                : `${event.agent} goes on`,
          text: event.cause,
          tone: 'warn',
          isPause: true,
          endAt: at === undefined ? undefined : at + (event.delay_ms ?? 0),
        });
        return;
      }
      case 'run.paused':
        this.#row('notice', event, at, {
          label: event.reason === 'limit' ? 'Waiting for a limit to reset' : `Paused by ${event.by ?? 'a person'}`,
          text: event.until_ms === undefined ? (event.cause ?? '') : `until ${clockTime(event.until_ms)}`,
          tone: 'warn',
          isPause: true,
          endAt: event.until_ms,
        });
        return;
      case 'run.resumed':
        this.#row('notice', event, at, {
          label: `Resumed${event.by === undefined ? '' : ` by ${event.by}`}`,
          text: `after ${seconds(event.paused_ms)}`,
        });
        return;
      case 'limit.changed':
        this.#row('notice', event, at, { label: 'Limit changed', text: changeInWords(event), tone: 'warn' });
        return;
      case 'limit.reached':
        this.#row('notice', event, at, {
          label: `Limit reached: ${event.limit}`,
          text: event.message ?? figures(event),
          tone: 'bad',
        });
        return;
      case 'model.requested':
      case 'wire.recorded':
        return;
      case 'model.responded':
        this.#row('log', event, at, {
          label: `Request ${event.request}`,
          text: requestInWords(event),
          tone: event.code === undefined && event.ended !== 'cut_by_provider' ? 'info' : 'warn',
        });
        return;
      case 'network.refused':
        this.#row('log', event, at, { label: 'Network', text: refusalInWords(event), tone: 'warn' });
        return;
      case 'rate_limit.reported':
        this.#row('log', event, at, {
          label: 'Rate limit',
          text: [event.status, event.window].filter(Boolean).join(' '),
        });
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
          tone:
            event.level === 'error' ? 'bad' : event.level === 'warning' || event.cause === 'broken' ? 'warn' : 'info',
        });
        return;
      case 'error':
        this.#row('notice', event, at, {
          label: event.fatal ? `Error (${event.code})` : `Error (${event.code}), the run continues`,
          text: [event.http_status === undefined ? '' : `HTTP ${event.http_status}`, event.message, event.stack]
            .filter(Boolean)
            .join('\n'),
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
          text: [
            event.left_running === undefined ? [] : [`${event.left_running} leftover processes were ended`],
            event.unread_bytes === undefined ? [] : [`${event.unread_bytes} bytes of its output were not read`],
          ]
            .flat()
            .join(', '),
          tone: event.exit_code === 0 ? 'good' : 'bad',
        });
        return;
      case 'line.unknown':
        this.#row('log', event, at, {
          label: `Unknown ${event.dialect} line`,
          text: JSON.stringify(event.wire),
          tone: 'warn',
        });
        return;
      case 'thread.completed':
        this.#row('end', event, at, {
          label: `Verdict: ${event.verdict.class.replaceAll('_', ' ')} (exit ${event.verdict.exit_code})`,
          text: event.summary,
          tone: event.status === 'success' ? 'good' : 'bad',
        });
        return;
      case 'records.left_out':
        return this.#gap(event, at);
      default:
        // A newer server may send event types that this page does not know.
        this.#row('log', event, at, { label: String((event as SentRecord).type), text: JSON.stringify(event) });
    }
  }

  #block(
    event: EventOf<'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed'> & SentRecord,
    at: number | undefined,
  ): Row {
    const known = this.#blocks.get(event.block_id);
    if (known !== undefined) return known;
    const isText = event.type.startsWith('text');
    const row = this.#row(isText ? 'text' : 'reasoning', event, at, {
      isOpen: true,
      isNested: event.parent_item_id !== undefined,
      label: isText ? 'Agent' : 'Reasoning',
      omitted: 0,
    });
    this.#blocks.set(event.block_id, row);
    return row;
  }

  #endTurn(at: number | undefined): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn === undefined) return;
    turn.isOpen = false;
    turn.endAt = at;
    this.#listener.onRow(turn);
    this.#listener.onRowEnd(turn);
  }

  /** A row that is open where records are left out ends there, unless its end is reported after the gap. */
  #gap(event: LeftOut, at: number | undefined): void {
    for (const row of this.open) {
      row.isOpen = false;
      row.endAt ??= at;
      this.#listener.onRow(row);
      this.#listener.onRowEnd(row);
    }
    for (const rows of [this.#blocks, this.#permissions]) rows.clear();
    this.#endTurn(at);
    const until = event.until === null ? NaN : Date.parse(event.until);
    this.#row('gap', event, at, {
      label: `${plural(event.count, 'event')} left out of this report`,
      text: `Events ${event.sequence} to ${event.last_sequence}`,
      tone: 'warn',
      lastSeq: event.last_sequence,
      endAt: Number.isNaN(until) ? at : until,
    });
  }

  #grow(row: Row, { sequence, cut }: SentRecord, text: string): void {
    row.lastSeq = sequence;
    const room = this.#textKept - row.text.length;
    row.text += text.length > room ? text.slice(0, Math.max(0, room)) : text;
    row.omitted += Math.max(0, text.length - room) + omittedIn(cut);
    this.#listener.onRow(row);
  }

  #itemEnded(event: EventOf<'item.completed'> & SentRecord, at: number | undefined): void {
    const row = this.#items.get(event.item_id) ?? this.#ended.get(event.item_id);
    if (row?.tool === undefined) return;
    row.tool.status = event.status;
    row.tool.exitCode = event.exit_code;
    row.tool.error = event.error;
    row.tool.durationMs =
      event.duration_ms ?? (at === undefined || row.at === undefined ? undefined : Math.max(0, at - row.at));
    row.endAt = row.at === undefined || row.tool.durationMs === undefined ? at : row.at + row.tool.durationMs;
    if (event.output !== undefined && event.output !== null) {
      row.text = typeof event.output === 'string' ? event.output : JSON.stringify(event.output, null, 2);
      row.omitted = 0;
      row.isPieces = false;
    }
    row.tone =
      event.status === 'success' ? 'good' : event.status === 'error' || event.status === 'denied' ? 'bad' : 'warn';
    this.#items.delete(event.item_id);
    this.#ended.set(event.item_id, row);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > endedKept && oldest !== undefined) this.#ended.delete(oldest);
    this.#end(row, event, at);
  }

  #edited(event: EventOf<'file.edited'> & SentRecord, at: number | undefined): void {
    const { path, operation, additions, deletions, diff, item_id: item = '' } = event;
    const edit: FileEdit = { path, operation, seq: event.sequence, additions, deletions, diff };
    const row = this.#items.get(item) ?? this.#ended.get(item);
    if (row?.tool === undefined) this.#row('notice', event, at, { label: `File ${operation}`, text: path });
    else {
      edit.call = row.index;
      row.tool.files.push(edit);
      row.lastSeq = event.sequence;
      this.#listener.onRow(row);
    }
    this.#listener.onEdit(edit);
  }
}

export function omittedIn(cut: SentRecord['cut']): number {
  return cut === undefined ? 0 : Object.values(cut).reduce((sum, characters) => sum + characters, 0);
}

function sentence({ agent, agent_version: version, model, cwd }: EventOf<'thread.started'>): string {
  return [
    agent === undefined ? undefined : [agent, version].filter(Boolean).join(' '),
    model,
    cwd === undefined ? undefined : `in ${cwd}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** `gpt-5 · 900 in 120 out · 1.2 s`, and what went wrong. */
function requestInWords(event: EventOf<'model.responded'>): string {
  const { model, model_served: served, input_tokens, output_tokens, cost_usd, duration_ms, ended, error } = event;
  const name =
    model === undefined || served === undefined || model === served
      ? (served ?? model)
      : `${model}, answered by ${served}`;
  const end = ended === 'complete' ? undefined : ended.replaceAll('_', ' ');
  return [name, tokens(input_tokens, output_tokens), dollars(cost_usd), seconds(duration_ms), end, error]
    .filter(Boolean)
    .join(' · ');
}

function figures({ value, maximum }: EventOf<'limit.reached'>): string {
  return value === undefined ? '' : maximum === undefined ? String(value) : `${value} of ${maximum}`;
}

function endOfProcess({ exit_code: code, signal: name, reason }: EventOf<'process.ended'>): string {
  if (reason === 'timeout') return 'The process was ended: timeout';
  if (reason === 'lost') return 'How the process ended is unknown';
  return name === null ? `The process exited with ${code ?? '?'}` : `The process was ended by ${name}`;
}
