import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Claude Code as far as its bill goes: each run is one call of `large`, and one of `small` for a title. The first word of the prompt says
// how it counts: `whole` and `since` include what the session had used before, `own` does not, `cut` ends before its result, and
// `other` is `whole` with another model. `sum` is `whole` without the counts of each model: its total cost alone; `twice` tells the
// result of `sum` in the middle, too. `forgetful` is `whole` without a total in the session's file.
// `endless` calls a sub-agent, tells the beginning of each message alone, and goes on until it is stopped.
interface Usage {
  inputTokens: number;
  outputTokens: number;
  costUSD: number;
}
type Bill = Record<string, Usage>;

const args = process.argv.slice(2);
const resumed = args.find((each) => each.startsWith('--resume='))?.slice('--resume='.length);
const manner = (args.at(-1) ?? '').split(' ')[0];
const session = resumed ?? `s-${process.pid}`;
const folder = join(
  process.env['CLAUDE_CONFIG_DIR'] ?? join(process.env['HOME'] ?? '', '.claude'),
  'projects',
  '-work',
);
mkdirSync(folder, { recursive: true });
const file = join(folder, `${session}.jsonl`);
// Where it keeps its total if not in the session's file.
const memory = join(folder, `${session}.memory`);
const kept = [file, memory]
  .filter((each) => existsSync(each))
  .flatMap((each) => readFileSync(each, 'utf8').trimEnd().split('\n'));
const states = kept
  .map((line) => JSON.parse(line) as { type: string; modelUsage: Bill })
  .filter(({ type }) => type === 'cost-state');
const before = states.at(-1)?.modelUsage ?? {};

const model = manner === 'other' ? 'other' : 'large';
const used: Bill = {
  [model]: { inputTokens: 100, outputTokens: 50, costUSD: 0.5 },
  small: { inputTokens: 7, outputTokens: 3, costUSD: 0.25 },
};
const total: Bill = structuredClone(before);
for (const [name, more] of Object.entries(used)) {
  const sum = (total[name] ??= { inputTokens: 0, outputTokens: 0, costUSD: 0 });
  for (const field of ['inputTokens', 'outputTokens', 'costUSD'] as const) sum[field] += more[field];
}
const costOf = (bill: Bill): number => Object.values(bill).reduce((sum, { costUSD }) => sum + costUSD, 0);

const print = (wire: object): void => console.log(JSON.stringify({ ...wire, session_id: session }));
const event = (wire: object): void => print({ type: 'stream_event', parent_tool_use_id: null, event: wire });
const id = `m-${process.pid}`;
const start = { input_tokens: 100, output_tokens: 1 };
print({ type: 'system', subtype: 'init', cwd: process.cwd(), model, tools: [], claude_code_version: '2.1.200' });
event({ type: 'message_start', message: { id, model, role: 'assistant', content: [], usage: start } });
event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } });
print({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { id, model, role: 'assistant', content: [{ type: 'text', text: 'Done.' }], usage: start },
});
if (manner === 'endless') {
  const seen = { id: `sub-${id}`, model, role: 'assistant', content: [{ type: 'text', text: 'Seen.' }] };
  const lineOf = (uuid: string, message: object, more: object): string =>
    `${JSON.stringify({ type: 'assistant', uuid, parentUuid: null, sessionId: session, message, ...more })}\n`;
  const agents = join(folder, session, 'subagents');
  mkdirSync(agents, { recursive: true });
  appendFileSync(
    file,
    lineOf(id, { id, model, role: 'assistant', content: [], usage: { ...start, output_tokens: 50 } }, {}),
  );
  appendFileSync(
    join(agents, 'agent-a1.jsonl'),
    lineOf(seen.id, { ...seen, usage: { input_tokens: 20, output_tokens: 30 } }, { isSidechain: true, agentId: 'a1' }),
  );
  print({
    type: 'assistant',
    parent_tool_use_id: 't1',
    message: { ...seen, usage: { input_tokens: 20, output_tokens: 1 } },
  });
  await new Promise(() => setInterval(() => {}, 1_000_000));
}
event({ type: 'content_block_stop', index: 0 });
event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 50 } });
event({ type: 'message_stop' });
const modelUsage = manner === 'own' ? used : total;
const result = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Done.',
  num_turns: 1,
  duration_ms: 1,
  usage: { input_tokens: 100, output_tokens: 50 },
  total_cost_usd: costOf(modelUsage),
};
if (manner === 'twice')
  print({ ...result, usage: { input_tokens: 60, output_tokens: 20 }, total_cost_usd: costOf(modelUsage) - 0.25 });
if (manner === 'twice') print({ ...result, usage: { input_tokens: 40, output_tokens: 30 } });
else if (manner === 'sum') print(result);
else if (manner !== 'cut')
  print({ ...result, modelUsage, ...(manner === 'since' ? { model_usage_since_last_result: used } : {}) });
const state = { type: 'cost-state', sessionId: session, totalCostUSD: costOf(total), modelUsage: total };
const message = {
  id,
  model,
  role: 'assistant',
  content: [{ type: 'text', text: 'Done.' }],
  usage: { ...start, output_tokens: 50 },
};
appendFileSync(
  file,
  `${JSON.stringify({ type: 'assistant', uuid: id, parentUuid: null, sessionId: session, requestId: `req-${id}`, timestamp: new Date().toISOString(), message })}\n`,
);
appendFileSync(manner === 'forgetful' ? memory : file, `${JSON.stringify(state)}\n`);
