import { Pieces } from '../../src/dialects/kit/pieces.ts';
import type { AgentEvent } from '../../src/events/event.ts';

/** A kind of stream, of any length. */
export interface Shape {
  readonly name: string;
  /** How many of its parts the long stream has; the short one has a quarter of them. */
  readonly parts: number;
  /** It just stops: nobody says that the run is over. */
  readonly isCut?: true;
  events(parts: number): Generator<AgentEvent>;
  /** Bytes that nobody can read this without, long lines aside: ids and arguments of what is open, a text that is not whole yet. */
  held(parts: number): number;
}

const place = (turn: number, message: string) => ({ turn_id: `turn_${turn}`, message_id: `message_${message}` });

const itemStarted = (id: string, turn: number, kind: 'command' | 'subagent' = 'command'): AgentEvent => ({
  type: 'item.started',
  item_id: id,
  turn_id: `turn_${turn}`,
  kind,
  name: kind === 'command' ? 'bash' : 'task',
  args: { command: `npm test -- part/${id}.test.ts` },
});

const itemOutput = (id: string, chunk: string): AgentEvent => ({
  type: 'item.output',
  item_id: id,
  stream: 'stdout',
  chunk,
});

const itemCompleted = (id: string, output = `ok ${id}: 17 passed, 0 failed\n`): AgentEvent => ({
  type: 'item.completed',
  item_id: id,
  status: 'success',
  output,
  exit_code: 0,
});

const delta = (turn: number, block: string, text: string, type: 'text' | 'reasoning' = 'text'): AgentEvent => ({
  type: `${type}.delta`,
  ...place(turn, block),
  block_id: `${type}_${block}`,
  text,
});

const whole = (turn: number, block: string, text: string, type: 'text' | 'reasoning' = 'text'): AgentEvent => ({
  type: `${type}.completed`,
  ...place(turn, block),
  block_id: `${type}_${block}`,
  text,
});

const turnStarted = (turn: number): AgentEvent => ({ type: 'turn.started', turn_id: `turn_${turn}`, iteration: turn });

const turnCompleted = (turn: number, calls: number): AgentEvent => ({
  type: 'turn.completed',
  turn_id: `turn_${turn}`,
  iteration: turn,
  tool_call_count: calls,
  has_final_report: false,
  finish_reason: 'tool_calls',
});

const usage: AgentEvent = {
  type: 'usage.reported',
  scope: 'step',
  input_tokens: 1200,
  output_tokens: 80,
  cache_read_tokens: 1000,
};

/** What a model does in one reply: thinks, says something, and runs a command. */
function* reply(turn: number, id: string): Generator<AgentEvent> {
  yield delta(turn, id, `Part ${id} comes next.`, 'reasoning');
  yield whole(turn, id, `Part ${id} comes next.`, 'reasoning');
  yield delta(turn, id, `I look at part ${id}`);
  yield delta(turn, id, ' and run its tests.');
  yield whole(turn, id, `I look at part ${id} and run its tests.`);
  yield itemStarted(`call_${id}`, turn);
  yield itemOutput(`call_${id}`, `ok ${id}: 17 passed`);
  yield itemCompleted(`call_${id}`);
  yield { type: 'file.edited', path: `src/part-${id}.ts`, operation: 'modified', item_id: `call_${id}` };
}

function* plain(parts: number): Generator<AgentEvent> {
  for (let turn = 1; turn <= parts; turn += 1) {
    yield turnStarted(turn);
    yield* reply(turn, String(turn));
    yield usage;
    yield turnCompleted(turn, 1);
  }
}

function* giantTurn(parts: number): Generator<AgentEvent> {
  yield turnStarted(1);
  for (let part = 1; part <= parts; part += 1) yield* reply(1, String(part));
  yield usage;
  yield turnCompleted(1, parts);
}

/** Every second call and every second text is never ended. */
function* halfOpen(parts: number): Generator<AgentEvent> {
  for (let part = 0; part < parts; part += 1) {
    const turn = Math.floor(part / 20) + 1;
    if (part % 20 === 0) yield turnStarted(turn);
    yield itemStarted(`call_${part}`, turn, part % 8 === 0 ? 'subagent' : 'command');
    yield delta(turn, String(part), `I look at part ${part}.`);
    if (part % 2 === 1) {
      yield itemCompleted(`call_${part}`);
      yield whole(turn, String(part), `I look at part ${part}.`);
    }
    if (part % 20 === 19) yield turnCompleted(turn, 20);
  }
}

/** Calls, texts of their sub-agents and questions, all begun in one turn and none ended. */
function* neverClosed(parts: number): Generator<AgentEvent> {
  yield turnStarted(1);
  for (let part = 0; part < parts; part += 1) {
    const isSubAgent = part % 4 === 0;
    const id = `call_${part}`;
    yield itemStarted(id, 1, isSubAgent ? 'subagent' : 'command');
    const said = delta(1, String(part), `I look at part ${part}.`) as AgentEvent & { type: 'text.delta' };
    yield isSubAgent ? { ...said, parent_item_id: id } : said;
    yield itemOutput(id, `ok ${id}`);
    yield { type: 'permission.requested', permission_id: `permission_${part}`, item_id: id, what: 'bash' };
  }
}

function* reverseClosed(parts: number): Generator<AgentEvent> {
  yield turnStarted(1);
  for (let part = 0; part < parts; part += 1) {
    yield itemStarted(`call_${part}`, 1);
    yield delta(1, String(part), `I look at part ${part}.`);
  }
  for (let part = parts - 1; part >= 0; part -= 1) {
    yield whole(1, String(part), `I look at part ${part}.`);
    yield itemCompleted(`call_${part}`);
  }
  yield turnCompleted(1, parts);
}

function* parallel(parts: number): Generator<AgentEvent> {
  yield turnStarted(1);
  for (let part = 0; part < parts; part += 1) yield itemStarted(`call_${part}`, 1);
  for (let part = 0; part < parts; part += 1) yield itemOutput(`call_${part}`, `ok ${part}`);
  for (let part = 0; part < parts; part += 1) yield itemCompleted(`call_${part}`);
  yield turnCompleted(1, parts);
}

/** One text and one output, each in very small pieces. */
function* deltas(parts: number): Generator<AgentEvent> {
  const half = Math.floor(parts / 2);
  const words = (index: number): string => `w${index % 1000} `;
  const text = new Pieces();
  yield turnStarted(1);
  for (let index = 0; index < half; index += 1) {
    text.add(words(index));
    yield delta(1, '1', words(index));
  }
  yield whole(1, '1', text.toString());
  yield itemStarted('call_1', 1);
  for (let index = 0; index < half; index += 1) yield itemOutput('call_1', words(index));
  yield itemCompleted('call_1', text.toString());
  yield turnCompleted(1, 1);
}

/** One call whose output is one line of this many kilobytes, and one answer of as many. */
function* hugeLine(parts: number): Generator<AgentEvent> {
  const text = 'the quick brown fox jumps over the lazy dog, and 12 "others" look on\n'.repeat(
    Math.ceil((parts * 1000) / 70),
  );
  yield turnStarted(1);
  yield itemStarted('call_1', 1);
  yield itemCompleted('call_1', text);
  yield whole(1, '1', text);
  yield turnCompleted(1, 1);
}

/** An open call: its id in a few maps, its arguments, the text that it has begun. */
const openCall = 1200;

export const shapes: readonly Shape[] = [
  { name: 'plain', parts: 10_000, events: plain, held: () => 0 },
  { name: 'half-open', parts: 40_000, isCut: true, events: halfOpen, held: (parts) => (parts / 2) * openCall },
  { name: 'never-closed', parts: 30_000, isCut: true, events: neverClosed, held: (parts) => parts * openCall * 2 },
  { name: 'reverse-closed', parts: 40_000, events: reverseClosed, held: (parts) => parts * openCall },
  { name: 'parallel', parts: 100_000, events: parallel, held: (parts) => parts * openCall },
  { name: 'giant-turn', parts: 12_000, events: giantTurn, held: () => 0 },
  { name: 'deltas', parts: 1_000_000, events: deltas, held: (parts) => parts * 10 },
  { name: 'huge-line', parts: 16_000, events: hugeLine, held: () => 0 },
];

/** The whole run: introduction, the shape, and the claim that it is done. */
export function* eventsOf(shape: Shape, parts: number): Generator<AgentEvent> {
  yield { type: 'thread.started', agent: 'bench', session_id: 'T-0001', model: 'model-1', cwd: '/w' };
  yield { type: 'prompt.submitted', text: 'Test every part.' };
  yield* shape.events(parts);
  if (shape.isCut !== true) yield { type: 'agent.finished', status: 'ok' };
}
