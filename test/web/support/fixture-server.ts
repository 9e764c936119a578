import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { EventRecord } from '../../../src/events/event.ts';
import { compareRuns } from '../../../src/ledger/diff.ts';
import { cutRecord } from '../../../src/events/cut-record.ts';
import type { QueueOverview } from '../../../src/fleet/queue-view.ts';
import type { BudgetState } from '../../../src/stores/budget-store.ts';
import type { RunRecord, StatsRow } from '../../../src/stores/run-store.ts';

const web = join(import.meta.dirname, '..', '..', '..', 'dist', 'web');
const kinds: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
/** As strict as the real one: nothing inline, nothing from elsewhere. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

export interface FixtureRun {
  run: RunRecord;
  records: EventRecord[];
}

/** Runs from memory over the same API as "runwire serve": states that a real ledger is rarely in, and runs too long to record. */
export class FixtureServer {
  readonly runs = new Map<string, FixtureRun>();
  readonly asked: string[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #viewers = new Set<ServerResponse>();
  readonly #server = createServer((request, response) => this.#answer(request, response));
  url = '';
  queue: QueueOverview | undefined;
  budgets: BudgetState[] = [];
  /** What could be done next, by run. */
  readonly advice = new Map<string, string[]>();
  /** How long a list of runs, or a timeline, takes. */
  delayMs = 0;

  add(...runs: readonly FixtureRun[]): void {
    for (const each of runs) this.runs.set(each.run.id, each);
  }

  /** More of a live run, or its end. */
  append(id: string, records: readonly EventRecord[], ended?: Partial<RunRecord>): void {
    const known = this.runs.get(id);
    if (known === undefined) return;
    known.records.push(...records);
    known.run = { ...known.run, ...ended, last_sequence: known.records.length };
    for (const wake of this.#waiting) wake();
  }

  /** Says to who watches that a run began, changed or ended. */
  tell(run: RunRecord): void {
    for (const viewer of this.#viewers) viewer.write(`event: run\ndata: ${JSON.stringify(run)}\n\n`);
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', this.url);
    this.asked.push(`${request.method} ${url.pathname}${url.search}`);
    const json = (body: unknown, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const [room, kind, id = '', part, other = ''] = url.pathname.split('/').slice(1).map(decodeURIComponent);
    if (room !== 'api') return this.#file(url.pathname, response);
    const found = this.runs.get(id);
    if (kind === 'session') return json({ rights: ['read', 'stop'], ledger: 'fixtures', version: '0' });
    if (kind === 'budgets') return json({ budgets: this.budgets });
    if (kind === 'queue')
      return this.queue === undefined
        ? json({ error: { code: 'not_found', message: 'there is no queue' } }, 404)
        : json(this.queue);
    if (kind === 'live') {
      this.#viewers.add(response);
      request.on('close', () => this.#viewers.delete(response));
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
    }
    if (kind === 'stats')
      return json({
        rows: stats(
          [...this.runs.values()].map(({ run }) => run),
          url.searchParams.get('by') ?? 'day',
        ),
      });
    if (kind === 'runs' && id === '') return void setTimeout(json, this.delayMs, this.#page(url.searchParams));
    if (kind !== 'runs' || found === undefined)
      return json({ error: { code: 'not_found', message: `no run ${id}; list them with: runwire runs` } }, 404);
    if (part === undefined) return json(found.run);
    if (part === 'children')
      return json({
        runs: [...this.runs.values()]
          .map(({ run }) => run)
          .filter((run) => run.root_run_id === id || run.parent_run_id === id),
      });
    if (part === 'advice') return json({ advice: this.advice.get(id) ?? [] });
    if (part === 'timeline') return void setTimeout(json, this.delayMs, timeline(found.records));
    if (part === 'records') return this.#records(found, url.searchParams, request, response);
    if (part === 'order') return json({ run_id: id }, 202);
    if (part === 'stop') return json({ run_ids: [id] }, request.method === 'POST' ? 202 : 200);
    const second = this.runs.get(other);
    if (part === 'diff' && second !== undefined) return json(compareRuns(found.run, second.run));
    json({ error: { code: 'not_found', message: 'no such thing' } }, 404);
  }

  /** The open ones before the first page and in no other, if they are wanted first. */
  #page(query: URLSearchParams): { runs: RunRecord[]; next?: string } {
    const isLiveFirst = query.get('live') === '1';
    const after = query.get('after');
    const all = this.#list(query);
    const rest = isLiveFirst ? all.filter(({ status }) => status !== 'running') : all;
    const from = after === null ? 0 : rest.findIndex(({ id }) => id === after) + 1;
    const to = from + Number(query.get('limit') ?? 50);
    const open = isLiveFirst && after === null ? all.filter(({ status }) => status === 'running') : [];
    const last = rest.length > to ? rest[to - 1] : undefined;
    return { runs: [...open, ...rest.slice(from, to)], ...(last === undefined ? {} : { next: last.id }) };
  }

  #list(query: URLSearchParams): RunRecord[] {
    const status = query.get('status');
    const words = query.get('search');
    const agent = query.get('agent');
    return [...this.runs.values()]
      .map(({ run }) => run)
      .filter((run) => (status === null || run.status === status) && (words === null || run.prompt.includes(words)))
      .filter((run) => agent === null || run.agent === agent)
      .toSorted((a, b) => b.started_at - a.started_at);
  }

  #records(
    { run: { id } }: FixtureRun,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    let after = Number(request.headers['last-event-id'] ?? query.get('after') ?? 0);
    const longest = Number(query.get('cut') ?? Infinity);
    const sent = (record: EventRecord): object => cutRecord(record, longest);
    if (query.get('follow') === '0') {
      const limit = Number(query.get('limit') ?? Infinity);
      const page = (this.runs.get(id)?.records ?? []).slice(after, after + limit).map(sent);
      response
        .writeHead(200, { 'content-type': 'application/x-ndjson' })
        .end(page.map((record) => `${JSON.stringify(record)}\n`).join(''));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (): void => {
      const known = this.runs.get(id);
      if (known === undefined) return;
      while (after < known.records.length) {
        const page = known.records.slice(after, after + 500).map(sent);
        after += page.length;
        response.write(`event: records\nid: ${after}\ndata: ${JSON.stringify(page)}\n\n`);
      }
      if (known.run.status === 'running') return;
      response.end(`event: end\ndata: ${JSON.stringify({ outcome: known.run.outcome ?? null })}\n\n`);
      this.#waiting.delete(send);
    };
    this.#waiting.add(send);
    request.on('close', () => this.#waiting.delete(send));
    send();
  }

  #file(path: string, response: ServerResponse): void {
    const file = join(web, path);
    const isAsset = path.startsWith('/assets/') && existsSync(file);
    const name = isAsset ? file : join(web, 'index.html');
    response
      .writeHead(200, {
        'content-type': kinds[extname(name)] ?? 'text/plain',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
      })
      .end(readFileSync(name));
  }
}

function stats(runs: readonly RunRecord[], by: string): StatsRow[] {
  const groups = Map.groupBy(runs, (run) =>
    by === 'day'
      ? new Date(run.started_at).toISOString().slice(0, 10)
      : String(run[by as 'agent' | 'model' | 'class'] ?? ''),
  );
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, each]) => ({
      group,
      runs: each.length,
      running: each.filter(({ status }) => status === 'running').length,
      succeeded: each.filter(({ status }) => status === 'success').length,
      cost: each.reduce((sum, { cost = 0 }) => sum + cost, 0),
      cost_known: each.filter(({ cost }) => cost !== undefined).length,
      unpriced: each.filter(({ status, cost }) => status !== 'running' && cost === undefined).length,
      cost_at_least: each.filter(({ cost_is }) => cost_is !== undefined).length,
      duration_known: 0,
      claims_known: 0,
      tool_calls: 0,
      first_started_at: Math.min(...each.map(({ started_at: at }) => at)),
      last_started_at: Math.max(...each.map(({ started_at: at }) => at)),
    }));
}

function timeline(records: readonly EventRecord[]): unknown {
  const first = Date.parse(records[0]?.timestamp ?? '') || 0;
  const last = Date.parse(records.at(-1)?.timestamp ?? '') || 0;
  const entries = records.flatMap((record) =>
    record.type === 'item.started'
      ? [
          {
            name: record.name,
            status: 'success',
            start_ms: Date.parse(record.timestamp ?? '') - first,
            duration_ms: 40,
          },
        ]
      : [],
  );
  return { entries, length_ms: last - first, omitted: 0 };
}
