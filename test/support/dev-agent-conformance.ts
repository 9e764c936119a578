import { isDeepStrictEqual } from 'node:util';
import { allowedArgs } from '../../src/dialects/dev-agent/words.ts';
import { soundsSecret } from '../../src/redact/secret-names.ts';

type Wire = Record<string, unknown>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isName: Check = (value) => typeof value === 'string' && value !== '';
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isFlag: Check = (value) => typeof value === 'boolean';
const isObject = (value: unknown): value is Wire =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const atMost =
  (limit: number): Check =>
  (value) =>
    typeof value === 'string' && Array.from(value).length <= limit;
const oneOf =
  (...words: string[]): Check =>
  (value) =>
    words.includes(String(value));

/** The event catalog: what every line of a type must have. */
const catalog: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  'thread.started': { task: isText, project_name: isText, parent_branch_id: isText, headless: isFlag },
  'turn.started': { turn_id: isName, iteration: isCount, message_count: isCount, tool_count: isCount },
  'assistant.message': { turn_id: isName, preview: atMost(500), tool_call_count: isCount },
  'turn.completed': { turn_id: isName, iteration: isCount, tool_call_count: isCount, has_final_report: isFlag },
  'item.started': { item_id: isName, kind: oneOf('tool_call', 'branch_poll', 'publish'), name: isName, args: isObject },
  'item.completed': { item_id: isName, status: oneOf('success', 'error'), duration_ms: isCount, summary: atMost(500) },
  'thread.completed': { status: isName, summary: atMost(500), final_report: isObject },
  error: { scope: isName, message: isText },
};
/** What a line may have, and how it must be if it has it. */
const whereKnown: Readonly<Record<string, Check>> = {
  branch_id: isName,
  iteration: isCount,
  item_id: isName,
  truncated: isFlag,
};

/**
 * Where the stdout of a `--stream-json` run, line by line, is not what the document of dev-agent promises. The indented report after the
 * last event belongs to it; a part of a stream, and one converted with `--to dev-agent`, has none.
 */
export function conformanceProblems(lines: readonly string[]): string[] {
  const problems: string[] = [];
  const last = lines.findIndex((line) => line.startsWith('{"type":"thread.completed"'));
  const wires: Wire[] = [];
  for (const [index, line] of lines.slice(0, last === -1 ? lines.length : last + 1).entries()) {
    // eslint-disable-next-line no-control-regex -- ASCII is what is promised
    if (!/^[\x20-\x7e]*$/.test(line)) problems.push(`line ${index + 1} is not ASCII`);
    const wire = parsed(line);
    if (isObject(wire)) wires.push(wire);
    else problems.push(`line ${index + 1} is no JSON object`);
  }
  if (last === -1) problems.push('there is no thread.completed');
  const stream = new Stream((problem) => void problems.push(problem));
  for (const [index, wire] of wires.entries()) stream.line(wire, index);
  const tail = lines
    .slice(last + 1)
    .join('\n')
    .trim();
  if (last !== -1 && tail !== '' && !isDeepStrictEqual(parsed(tail), wires.at(-1)?.final_report))
    problems.push('what follows thread.completed is not its report');
  return problems;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

interface Turn {
  id: string;
  iteration: unknown;
  items: number;
  /** What its message asks for. */
  calls: unknown;
  preview: string | undefined;
}

class Stream {
  readonly #tell: (problem: string) => void;
  #first: Wire | undefined;
  #isOver = false;
  #iteration = 0;
  #turn: Turn | undefined;
  readonly #turns = new Set<unknown>();
  readonly #items = new Map<unknown, { name: unknown; isOpen: boolean }>();
  #final: Turn | undefined;
  #lastReply: Turn | undefined;

  constructor(tell: (problem: string) => void) {
    this.#tell = tell;
  }

  line(wire: Wire, index: number): void {
    const at = `line ${index + 1}, ${String(wire.type)}`;
    const problem = (what: string): void => this.#tell(`${at}: ${what}`);
    this.#envelope(wire, index, problem);
    const fields = catalog[String(wire.type)];
    if (fields === undefined) return problem('is in no catalog');
    for (const [name, isRight] of Object.entries(fields))
      if (!isRight(wire[name])) problem(`${name} is ${JSON.stringify(wire[name])}`);
    for (const [name, isRight] of Object.entries(whereKnown))
      if (wire[name] !== undefined && !isRight(wire[name])) problem(`${name} is ${JSON.stringify(wire[name])}`);
    if (this.#isOver) problem('comes after thread.completed');
    if ((wire.type === 'thread.started') !== (index === 0)) problem('thread.started is the first line, and no other');
    this.#order(wire, problem);
  }

  #envelope(wire: Wire, index: number, problem: (what: string) => void): void {
    this.#first ??= wire;
    if (!isName(wire.thread_id) || wire.thread_id !== this.#first.thread_id)
      problem(`thread_id is ${JSON.stringify(wire.thread_id)}`);
    if (wire.sequence !== index + 1) problem(`sequence is ${JSON.stringify(wire.sequence)}`);
    if (typeof wire.timestamp !== 'string' || !rfc3339.test(wire.timestamp))
      problem(`timestamp is ${JSON.stringify(wire.timestamp)}`);
  }

  #order(wire: Wire, problem: (what: string) => void): void {
    switch (wire.type) {
      case 'turn.started':
        if (this.#turn !== undefined) problem('the turn before is still open');
        if (this.#turns.has(wire.turn_id)) problem('turn_id is used twice');
        this.#turns.add(wire.turn_id);
        if (wire.iteration !== ++this.#iteration) problem(`iteration is ${JSON.stringify(wire.iteration)}`);
        this.#turn = { id: String(wire.turn_id), iteration: wire.iteration, items: 0, calls: 0, preview: undefined };
        return;
      case 'assistant.message':
        if (this.#turn === undefined || this.#turn.id !== wire.turn_id) return problem('is not in its turn');
        this.#turn.preview = String(wire.preview);
        this.#turn.calls = wire.tool_call_count;
        if (wire.preview !== '') this.#lastReply = this.#turn;
        return;
      case 'item.started':
        return this.#startItem(wire, problem);
      case 'item.completed': {
        const item = this.#items.get(wire.item_id);
        if (item?.isOpen !== true) problem('ends an item that is not open');
        else item.isOpen = false;
        return;
      }
      case 'turn.completed':
        return this.#endTurn(wire, problem);
      case 'error':
        if (wire.item_id !== undefined && !this.#items.has(wire.item_id)) problem('item_id names no item');
        if (this.#turn !== undefined && wire.turn_id === this.#turn.id && wire.iteration !== this.#turn.iteration)
          problem('iteration is of another turn');
        return;
      case 'thread.completed':
        return this.#end(wire, problem);
    }
  }

  #startItem(wire: Wire, problem: (what: string) => void): void {
    if (this.#turn === undefined) problem('is in no turn');
    else this.#turn.items += 1;
    if (this.#turn?.preview === undefined) problem('comes before the message that asks for it');
    if (this.#items.has(wire.item_id)) problem('item_id is used twice');
    this.#items.set(wire.item_id, { name: wire.name, isOpen: true });
    if ((wire.name === 'publish') !== (wire.kind === 'publish')) problem('publish is a name and a kind');
    if (!isObject(wire.args)) return;
    for (const each of unsafe(wire.args)) problem(`args show ${each}`);
    const allowed = Object.hasOwn(allowedArgs, String(wire.name)) ? allowedArgs[String(wire.name)] : undefined;
    const previews = new Set(['prompt_preview', 'prompt_previews', 'prompt_truncated']);
    for (const name of allowed === undefined ? [] : Object.keys(wire.args))
      if (allowed?.includes(name) !== true && !previews.has(name)) problem(`args show ${name}`);
  }

  #endTurn(wire: Wire, problem: (what: string) => void): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn === undefined || turn.id !== wire.turn_id) return problem('ends a turn that is not open');
    if (wire.iteration !== turn.iteration) problem('iteration is of another turn');
    if (wire.tool_call_count !== turn.items)
      problem(`tool_call_count is ${JSON.stringify(wire.tool_call_count)} for ${turn.items} items`);
    if (wire.has_final_report !== true) return;
    if (this.#final !== undefined) problem('a second has_final_report');
    if (turn.preview === undefined || turn.preview === '') problem('has_final_report without words');
    this.#final = turn;
  }

  #end(wire: Wire, problem: (what: string) => void): void {
    this.#isOver = true;
    if (this.#turn !== undefined) problem('a turn is still open');
    const report = isObject(wire.final_report) ? wire.final_report : {};
    if (wire.status === 'completed')
      for (const [id, { isOpen }] of this.#items) if (isOpen) problem(`item ${String(id)} is still open`);
    const hasAnswer = wire.status === 'completed' && this.#lastReply !== undefined && this.#lastReply.calls === 0;
    if (hasAnswer && this.#final !== this.#lastReply) problem('the turn of the answer has no has_final_report');
    if (!hasAnswer && wire.status === 'completed' && this.#final !== undefined)
      problem('has_final_report without an answer');
    if (report.status !== wire.status) problem(`the report says ${JSON.stringify(report.status)}`);
    if (report.summary !== wire.summary) problem('the summary of the report is another one');
    if (this.#first?.task !== '' && report.task !== this.#first?.task) problem('the task of the report is another one');
    this.#checkReport(report, problem);
  }

  #checkReport({ lineage, publish, usage, children, metrics }: Wire, problem: (what: string) => void): void {
    if (lineage !== undefined) for (const each of lineageProblems(lineage)) problem(each);
    if (publish !== undefined) {
      if (!isObject(publish) || !isName(publish.branch_id) || !oneOf('success', 'error')(publish.status))
        problem('publish is not what came of it');
      if (![...this.#items.values()].some(({ name }) => name === 'publish'))
        problem('publish is in the report, and no item');
    }
    if (!isObject(usage) || !isObject(metrics)) return problem('there is no usage');
    const below = isObject(children) ? children : {};
    const total = (name: string): number | undefined => {
      const parts = [metrics[name], below[name]].filter((each) => typeof each === 'number');
      return parts.length === 0 ? undefined : Number(parts.reduce((sum, each) => sum + each, 0).toPrecision(12));
    };
    if (usage.runs !== 1 + Number(below.runs ?? 0)) problem(`usage is of ${JSON.stringify(usage.runs)} runs`);
    for (const name of ['tokens_used', 'input_tokens', 'output_tokens', 'cost'])
      if (usage[name] !== total(name)) problem(`usage.${name} is not the sum over the tree`);
  }
}

const branchFields: Readonly<Record<string, Check>> = {
  branch_id: isName,
  parent_branch_id: isName,
  commit: isName,
  agent: isName,
  run_id: isName,
  status: isName,
  verified: oneOf('passed', 'failed', 'flaky', 'base_red', 'not_run'),
  files: isCount,
  additions: isCount,
  deletions: isCount,
  winner: isFlag,
  remarks: isName,
  isolation: oneOf('overlay', 'clone', 'worktree'),
  cost: (value) => typeof value === 'number' && value >= 0,
};

function lineageProblems(lineage: unknown): string[] {
  if (!isObject(lineage) || !Array.isArray(lineage.branches)) return ['lineage has no branches'];
  const branches = lineage.branches.filter(isObject);
  const ids = branches.map(({ branch_id }) => branch_id);
  const wrong = branches.flatMap((branch) =>
    Object.entries(branch).flatMap(([name, value]) =>
      branchFields[name]?.(value) === true ? [] : [`${name} of a branch is ${JSON.stringify(value)}`],
    ),
  );
  return [
    ...wrong,
    ...(new Set(ids).size === ids.length && ids.every(isName) ? [] : ['a branch is there twice, or without its id']),
    ...(ids.includes(lineage.latest_branch_id) ? [] : ['latest_branch_id is no branch']),
    ...(lineage.start_branch_id === undefined || isName(lineage.start_branch_id)
      ? []
      : ['start_branch_id is no branch']),
  ];
}

/** What must not be shown, in any arguments, at any depth. */
function unsafe(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return atMost(240)(value) ? [] : [`more than 240 characters of ${path}`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    !Array.isArray(value) && soundsSecret(name) ? [`${path}${name}`] : unsafe(each, `${path}${name}.`),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
