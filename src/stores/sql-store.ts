import { usedFields } from '../contract/row.ts';
import { present } from '../json/present.ts';
import type { Owner } from '../processes/owner.ts';
import { SqlChunks } from './sql-chunks.ts';
import { Contested, type Database, isOutOfRoom, type Row, type Statement, type Value } from './database.ts';
import { figureDamageOf, figureTables, type KeptFigures } from './figures.ts';
import { select } from './filter-sql.ts';
import { boundedAttempts, boundedPrompt, ledgerOutcome } from './ledger-outcome.ts';
import {
  agentName,
  damageOf,
  givenColumns,
  openRunOf,
  optionalNumber,
  optionalText,
  outcomeColumns,
  plainText,
  treeColumns,
  wholeText,
  writeOutcome,
} from './rows.ts';
import { RunQueries, rowsAtOnce } from './run-queries.ts';
import { RunStatements, vectorOf } from './run-statements.ts';
import type {
  Attempt,
  Ending,
  ImportedRun,
  LedgerOutcome,
  NewRun,
  OpenRun,
  Problem,
  Progress,
  RunFilter,
  RunStore,
} from './run-store.ts';
import type { Labels } from '../contract/labels.ts';
import { sealColumns, sealOf } from './seal.ts';
import { SqlBudgets } from './sql-budgets.ts';
import { wrongTotalsSql } from './totals-sql.ts';
import { wordsOf } from './words.ts';

const pruneBatch = 500;

/** The ledger in SQL, the same for both databases. */
export class SqlRunStore extends RunQueries implements RunStore {
  readonly budgets: SqlBudgets;
  readonly chunks: SqlChunks;
  readonly #rows: RunStatements;
  /** A role that may only add rows records a run when it has ended. */
  readonly #held = new Map<string, NewRun>();

  constructor(database: Database) {
    super(database);
    this.#rows = new RunStatements(database);
    this.chunks = new SqlChunks(database);
    this.budgets = new SqlBudgets(database);
  }

  async begin(run: NewRun): Promise<void> {
    if (!this.database.rights.update) return void this.#held.set(run.id, run);
    if (run.lost !== undefined && (await this.#beginAgain(run, run.lost))) return;
    const given = { ...run, host: run.owner.host };
    await this.database.write([
      this.#rows.insert('runs', {
        id: run.id,
        ...treeColumns(run),
        status: 'running',
        agent: agentName(run.agent),
        model: optionalText(run.model),
        started_at: Math.floor(run.started_at),
        heartbeat_at: Math.floor(run.started_at),
        heard_at: { sql: this.database.now },
        ...givenColumns(given, 'runs'),
        reporter: optionalText(run.reporter),
      }),
      this.#rows.takeOutOfTree(run.id, run.reporter),
      this.#rows.insertDocument(run.id, {
        prompt: wholeText(boundedPrompt(run.prompt)),
        ...givenColumns(given, 'documents'),
        owner: wholeText(JSON.stringify(run.owner)),
        attempts: attemptsColumn(run.lost ?? []),
      }),
      ...this.#rows.labels(run.id, run.labels),
      // Queued again after the ledger forgot it.
      ...this.#spendAnew(run.id, run.lost ?? []),
    ]);
  }

  /** Starts the same run again, by another process. False: there is no such run. */
  async #beginAgain(
    { id, owner, reporter, tape, cwd, started_at }: NewRun,
    attempts: readonly Attempt[],
  ): Promise<boolean> {
    return this.database.write([
      {
        sql: `update ${this.p}runs set status = 'running', class = null, exit_code = null, ended_at = null, duration_ms = null, last_sequence = 0, presumed_at = null, session_id = null, waits_until = null,
          ${Object.keys(usedFields)
            .map((name) => `${name} = null`)
            .join(
              ', ',
            )}, host = ?, cwd = ?, reporter = ?, heartbeat_at = ?, heard_at = ${this.database.now} where id = ?`,
        values: [optionalText(owner.host), optionalText(cwd), optionalText(reporter), Math.floor(started_at), id],
      },
      this.#rows.updateDocument(id, {
        outcome: null,
        seal: null,
        session_id: null,
        tape_sha256: null,
        attempts: JSON.stringify(boundedAttempts(attempts)),
        cwd: optionalText(cwd),
        tape: optionalText(tape),
        host: optionalText(owner.host),
        owner: wholeText(JSON.stringify(owner)),
      }),
      ...this.#spendAnew(id, attempts),
    ]);
  }

  /** What the attempts before spent stays where it was counted. */
  #spendAnew(id: string, lost: readonly Attempt[]): Statement[] {
    if (lost.length === 0 || !this.database.rights.budgets) return [];
    return [...lost.map((attempt) => this.budgets.settleLost(id, attempt)), this.budgets.reopen(id)];
  }

  /** A run that was presumed dead and reports again counts as running. */
  async note(id: string, { at, agent_version, session_id, ...news }: Progress, owner?: Owner): Promise<void> {
    if (this.#held.has(id)) return;
    const known: Record<string, Value> = {
      last_sequence: optionalNumber(news.last_sequence),
      agent: agentName(news.agent),
      model: optionalText(news.model),
      session_id: optionalText(session_id),
      input_tokens: optionalNumber(news.input_tokens),
      output_tokens: optionalNumber(news.output_tokens),
      cost: optionalNumber(news.cost),
      tool_calls: optionalNumber(news.tool_calls),
    };
    const ours = this.#runOf(id, owner);
    const set = [
      ...Object.keys(known).map((name) => `${name} = coalesce(?, ${name})`),
      // Nought: it waits no more.
      'waits_until = nullif(coalesce(?, waits_until), 0)',
    ];
    const facts: Statement[] =
      session_id === undefined && agent_version === undefined
        ? []
        : [
            {
              sql: `update ${this.p}documents set session_id = coalesce(?, session_id), agent_version = coalesce(?, agent_version) where seq = (select seq from ${this.p}runs where id = ?)`,
              values: [optionalText(session_id), optionalText(agent_version), id],
            },
          ];
    await this.database.write([
      {
        sql: `update ${this.p}runs set heartbeat_at = ?, heard_at = ${this.database.now}, ${set.join(', ')},
          status = 'running', presumed_at = null, class = null, exit_code = null, ended_at = null, duration_ms = null
          where ${ours.sql} and (status = 'running' or presumed_at is not null)`,
        values: [Math.floor(at), ...Object.values(known), optionalNumber(news.waits_until), ...ours.values],
      },
      ...facts,
    ]);
  }

  async finish(id: string, ending: Ending, owner?: Owner): Promise<void> {
    const held = this.#held.get(id);
    if (held !== undefined) {
      const { provenance, metrics } = ending.outcome;
      // As when an end updates an existing run, the events' information about the agent comes first.
      await this.#insertWhole({
        ...held,
        ...ending,
        ...present({ agent: provenance.agent, model: metrics.model_name }),
      });
      return void this.#held.delete(id);
    }
    const found = await this.#end(id, ending, this.#runOf(id, owner));
    if (!found && (owner === undefined || (await this.get(id)) === undefined))
      throw new Error(`${this.name}: no run ${id}`);
  }

  /** Matches the run, and the owner if one is given. */
  #runOf(id: string, owner: Owner | undefined): Statement {
    if (owner === undefined) return { sql: 'id = ?', values: [id] };
    return {
      sql: `id = ? and seq in (select seq from ${this.p}documents where owner = ?)`,
      values: [id, wholeText(JSON.stringify(owner))],
    };
  }

  async closeInterrupted(
    { id, heartbeat_at, presumed_at }: OpenRun,
    ending: Ending,
    presumed = false,
  ): Promise<boolean> {
    if (!this.database.rights.update) return false;
    const state = presumed_at === undefined ? "status = 'running'" : 'presumed_at = ?';
    const condition = {
      sql: `id = ? and heartbeat_at = ? and ${state}`,
      values: [id, heartbeat_at, ...(presumed_at === undefined ? [] : [presumed_at])],
    };
    return this.#end(id, ending, condition, presumed);
  }

  async open(): Promise<OpenRun[]> {
    return this.#openRuns({ sql: "r.status = 'running'", values: [] });
  }

  async presumed(host: string): Promise<OpenRun[]> {
    return this.#openRuns({ sql: 'r.presumed_at is not null and r.host = ?', values: [plainText(host)] });
  }

  async #openRuns({ sql, values }: Statement): Promise<OpenRun[]> {
    const rows = await this.database.all({
      sql: `${this.select(openColumns)}, ${this.database.now} - coalesce(r.heard_at, r.heartbeat_at) as silent_ms
        from ${this.p}runs r ${this.join} where ${sql} order by r.id`,
      values,
    });
    return rows.map(openRunOf);
  }

  async put(run: ImportedRun): Promise<'added' | 'same' | 'contested'> {
    try {
      return (await this.#insertWhole(run)) ? 'added' : 'same';
    } catch (error) {
      if (error instanceof Contested) return 'contested';
      throw error;
    }
  }

  /** Inserts a run and its end at once; false: it is already there. */
  async #insertWhole(
    run: Omit<NewRun, 'prompt' | 'owner'> &
      Ending &
      Partial<Pick<NewRun, 'prompt' | 'owner'> & Pick<ImportedRun, 'host' | 'requests'> & { key: string }>,
  ): Promise<boolean> {
    const outcome = ledgerOutcome(run.outcome);
    const prompt = outcome.metadata.initial_prompt || (run.prompt ?? '');
    const { agent = null, model = null, ...columns } = outcomeColumns(outcome);
    const names = { agent: agentName(run.agent) ?? agent, model: optionalText(run.model) ?? model };
    const given = { ...run, host: run.host ?? run.owner?.host };
    const words = wordsOf(prompt, outcome.message);
    const ended = { started_at: Math.floor(run.started_at), ended_at: Math.floor(run.ended_at) };
    const document = { prompt: wholeText(prompt), ...documentColumns(outcome, run, this.database.kind) };
    return this.database.write([
      this.#rows.insert('runs', {
        id: run.id,
        key: run.key === undefined ? null : plainText(run.key),
        ...treeColumns(run),
        ...columns,
        ...names,
        ...ended,
        heartbeat_at: Math.floor(run.ended_at),
        last_sequence: run.last_sequence ?? 0,
        ...givenColumns(given, 'runs'),
        session_id: optionalText(outcome.session_id),
        reporter: optionalText(run.reporter),
      }),
      ...(this.database.rights.update ? [this.#rows.takeOutOfTree(run.id, run.reporter)] : []),
      this.#rows.insertDocument(run.id, {
        ...document,
        ...givenColumns(given, 'documents'),
        owner: run.owner === undefined ? null : wholeText(JSON.stringify(run.owner)),
        seal: sealOf({ id: run.id, ...columns, ...names, ...ended, ...document }),
        ...(this.database.kind === 'postgres' ? { words: { sql: 'cast(? as tsvector)', value: vectorOf(words) } } : {}),
      }),
      ...this.#rows.labels(run.id, run.labels),
      ...this.#rows.requests(run.id, run.requests ?? []),
      ...this.#rows.figures(run.id, outcome),
      ...(this.database.kind === 'postgres' ? [] : this.#rows.words(run.id, words)),
    ]);
  }

  async addRequests(id: string, requests: readonly string[]): Promise<void> {
    for (const { changes: _all, ...statement } of this.#rows.requests(id, requests))
      await this.database.write([statement]);
  }

  async handOver(from: string, to: string, requests: readonly string[], ending: Ending | undefined): Promise<void> {
    const { update, delete: remove } = this.database.rights;
    if (!update || (ending === undefined && !remove)) return;
    try {
      await this.database.write([
        ...this.#rows.handOver(from, to, requests),
        ...(ending === undefined
          ? [{ sql: `delete from ${this.p}runs where id = ?`, values: [from] }]
          : await this.#endOf(from, ending, this.#runOf(from, undefined))),
      ]);
    } catch (error) {
      // Another import was faster.
      if (!(error instanceof Contested)) throw error;
    }
  }

  async addLabels(id: string, labels: Labels): Promise<void> {
    // One by one, since a first statement that changes nothing would end the whole transaction.
    for (const [key, value] of Object.entries(labels)) await this.database.write([this.#rows.addLabel(id, key, value)]);
  }

  async prune(filter: RunFilter): Promise<{ runs: number; tapes: string[] }> {
    const { from, where, values } = select(this.database, filter, [{ sql: "r.status <> 'running'", values: [] }]);
    const found = await this.database.all({ sql: `select r.id, d.tape ${from} ${this.join} ${where}`, values });
    // In batches, so that runs being written meanwhile wait for a moment, not a minute.
    for (let at = 0; at < found.length; at += pruneBatch) {
      const ids = found.slice(at, at + pruneBatch).map(({ id }) => String(id));
      if (this.database.rights.budgets) await this.database.write([this.budgets.settleBefore(ids)]);
      await this.#forget(ids);
    }
    return { runs: found.length, tapes: found.flatMap(({ tape }) => (typeof tape === 'string' ? [tape] : [])) };
  }

  async #forget(ids: readonly string[]): Promise<void> {
    const forget = (some: readonly string[]): Promise<boolean> =>
      this.database.write([
        { sql: `delete from ${this.p}runs where id in (${some.map(() => '?').join(', ')})`, values: some },
      ]);
    try {
      await forget(ids);
    } catch (error) {
      if (!isOutOfRoom(error) || this.database.makeRoom === undefined) throw error;
      // A transaction takes room before it gives any back: one run needs little, and what it needed is free for the next one.
      for (const id of ids) {
        await this.database.makeRoom();
        await forget([id]);
      }
    }
  }

  compact(): Promise<void> {
    return this.database.compact();
  }

  async remove(id: string): Promise<void> {
    await this.database.write([{ sql: `delete from ${this.p}runs where id = ?`, values: [id] }]);
  }

  async verify(): Promise<Problem[]> {
    const broken = await this.database.all({
      sql: `select r.id, case when d.seq is null then 'its document is missing' else 'it has ended without an outcome' end as what
        from ${this.p}runs r left join ${this.p}documents d on d.seq = r.seq
        where d.seq is null or (r.status <> 'running' and d.outcome is null)`,
      values: [],
    });
    const damaged: Problem[] = [];
    const columns = [...sealColumns, 'd.outcome', 'd.owner', 'd.seal'];
    for (let after = ''; ;) {
      const rows = await this.database.all({
        sql: `${this.select(columns)} from ${this.p}runs r ${this.join} where r.id > ? order by r.id limit ?`,
        values: [after, rowsAtOnce],
      });
      const figures = await this.#figuresOf(rows);
      for (const row of rows) {
        after = String(row['id']);
        const what = damageOf(row) ?? figureDamageOf(row, figures.get(after) ?? []);
        if (what !== undefined) damaged.push({ where: after, what });
      }
      if (rows.length < rowsAtOnce) break;
    }
    return [
      ...(await this.database.problems()),
      ...broken.map(({ id, what }) => ({ where: String(id), what: String(what) })),
      ...damaged,
      ...(await this.#wrongTotals()),
    ];
  }

  /** What the other tables say about these runs, which follow each other. */
  async #figuresOf(runs: readonly Row[]): Promise<Map<unknown, KeptFigures[]>> {
    const [first, last] = [runs[0], runs.at(-1)].map((row) => String(row?.['id'] ?? ''));
    const found: KeptFigures[] = [];
    for (const table of figureTables) {
      const rows = await this.database.all({
        sql: `select * from ${this.p}${table} where run >= ? and run <= ?`,
        values: [first ?? '', last ?? ''],
      });
      for (const row of rows) found.push({ table, row });
    }
    return Map.groupBy(found, ({ row }) => row['run']);
  }

  async #wrongTotals(): Promise<Problem[]> {
    if ((await this.totals()) === undefined) return [];
    const rows = await this.database.all({ sql: wrongTotalsSql(this.database), values: [] });
    return rows.map((row) => ({
      where: 'totals',
      what: `the kept totals of the class "${String(row['class'])}" are not those of its runs`,
    }));
  }

  async unsealed(): Promise<number> {
    const [row] = await this.database.all({
      sql: `select count(*) as runs from ${this.p}runs r ${this.join} where r.status <> 'running' and d.seal is null`,
      values: [],
    });
    return Number(row?.['runs']);
  }

  async close(): Promise<void> {
    await this.chunks.close();
    await this.database.close();
  }

  async #end(id: string, ending: Ending, condition: Statement, presumed = false): Promise<boolean> {
    return this.database.write(await this.#endOf(id, ending, condition, presumed));
  }

  async #endOf(id: string, ending: Ending, condition: Statement, presumed = false): Promise<Statement[]> {
    const outcome = ledgerOutcome(ending.outcome);
    const prompt = outcome.metadata.initial_prompt;
    const [begun] = await this.database.all({ sql: this.#begunSql, values: [id] });
    // More may have been noted at its start than its events reported.
    const { agent = null, model = null, ...columns } = outcomeColumns(outcome);
    const set: Record<string, Value> = {
      ...columns,
      ended_at: Math.floor(ending.ended_at),
      heartbeat_at: Math.floor(ending.ended_at),
      session_id: optionalText(outcome.session_id),
    };
    const names = Object.keys(set);
    const document = {
      ...documentColumns(outcome, ending, this.database.kind),
      ...(prompt === '' ? {} : { prompt: wholeText(prompt) }),
    };
    return [
      {
        sql: `update ${this.p}runs set ${names.map((name) => `${name} = ?`).join(', ')}, agent = coalesce(?, agent), model = coalesce(?, model),
          last_sequence = coalesce(?, last_sequence), presumed_at = ${presumed ? this.database.now : 'null'} where ${condition.sql}`,
        values: [...Object.values(set), agent, model, optionalNumber(ending.last_sequence), ...condition.values],
      },
      this.#rows.updateDocument(id, {
        ...document,
        seal: sealOf({
          id,
          ...begun,
          ...present({ agent: agent ?? undefined, model: model ?? undefined }),
          ...set,
          ...document,
        }),
      }),
      ...(await this.#rows.replaceFigures(id, outcome)),
      ...this.#rows.words(id, wordsOf(prompt === '' ? String(begun?.['prompt'] ?? '') : prompt, outcome.message)),
    ];
  }

  get #begunSql(): string {
    return `select r.started_at, r.agent, r.model, d.prompt, d.attempts from ${this.p}runs r ${this.join} where r.id = ?`;
  }
}

const openColumns = [
  ...[
    'id',
    'started_at',
    'heartbeat_at',
    'presumed_at',
    'waits_until',
    'last_sequence',
    'agent',
    'model',
    'input_tokens',
    'output_tokens',
    'cost',
    'tool_calls',
  ].map((column) => `r.${column}`),
  ...['owner', 'prompt', 'tape', 'tape_sha256', 'session_id', 'agent_version'].map((column) => `d.${column}`),
];

function attemptsColumn(attempts: readonly Attempt[]): string | null {
  return attempts.length === 0 ? null : JSON.stringify(boundedAttempts(attempts));
}

function documentColumns(
  outcome: LedgerOutcome,
  { attempts, tape_sha256 }: Pick<Ending, 'attempts' | 'tape_sha256'>,
  kind: Database['kind'],
): Record<string, Value> {
  return {
    outcome: writeOutcome(outcome, kind),
    // A process that ends a run from its tape knows only one attempt.
    ...(attempts === undefined ? {} : { attempts: attemptsColumn(attempts) }),
    ...outcomeColumns(outcome, 'documents'),
    tape_sha256: optionalText(tape_sha256),
  };
}
