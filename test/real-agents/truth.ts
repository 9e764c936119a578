import { isAbsolute, relative } from 'node:path';
import { truthOf, type Served } from '../support/recordings.ts';
import { type Difference, noNotes, type RealAgent } from './agent.ts';
import type { Performed } from './perform.ts';
import type { Scenario } from './scenarios.ts';

/** A run in the few words that can be told from both sides: by Runwire, and by those who know. */
interface Account {
  status: number | null;
  verdict: { class: string; exit_code: number; code?: string } | undefined;
  message: string | undefined;
  tools: readonly string[];
  /** Results that came back to the model, where the run came to a good end: the tools really ran. */
  results: number | undefined;
  tokens:
    | {
        input: number | undefined;
        output: number | undefined;
        cached?: number | undefined;
        reasoning?: number | undefined;
      }
    | undefined;
  artifacts: readonly string[];
  changed: readonly string[];
  touched: readonly string[];
  unknownLines: number | undefined;
  /** How often it waited for a limit. */
  waits: number;
  /** Processes that outlived the run. */
  left: readonly string[];
}

/** What is said of a run depends on what can be known: words only of a good end, a code only where the table names one. */
interface Reach {
  agent: RealAgent;
  scenario: Scenario;
  differs: Difference | undefined;
}

/** What Runwire told. */
export function accountOf(
  { status, records, outcome, results, left, work, changed, touched }: Performed,
  { agent, scenario, differs }: Reach,
): Account {
  const { verdict, metrics, tool_calls = [], artifacts = [] } = outcome ?? {};
  const last = records.findLast((record) => record.type === 'text.completed' && record.parent_item_id === undefined);
  const good = (differs?.is ?? scenario.is) === 'success';
  const {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cached,
    reasoning_tokens: reasoning,
  } = metrics ?? {};
  return {
    status,
    verdict: verdict && {
      class: verdict.class,
      exit_code: verdict.exit_code,
      ...(scenario.code !== undefined && verdict.code !== undefined ? { code: verdict.code } : {}),
    },
    message: good && last?.type === 'text.completed' ? last.text.trim() : undefined,
    tools: tool_calls
      .map((call) => [call.name, call.status, call.reason].filter(Boolean).join(' '))
      // The call of the answer that was under way when the limit struck: told or not, it must not have come to its end.
      .filter((tool, index) => index !== scenario.turnsUntilLimit || !tool.endsWith('cancelled abandoned'))
      .toSorted(),
    results: good ? results : undefined,
    tokens:
      metrics?.tokens_used === undefined
        ? undefined
        : {
            input,
            output,
            ...(differs?.tokens
              ? {}
              : {
                  ...(agent.noCachedTokens === true ? {} : { cached }),
                  ...(agent.noReasoningTokens === true ? {} : { reasoning }),
                }),
          },
    artifacts: artifacts
      .map(({ path, operation }) => `${isAbsolute(path) ? relative(work, path) : path} ${operation}`)
      .toSorted(),
    changed,
    touched,
    unknownLines: outcome?.provenance.unknown_lines,
    waits: records.filter(({ type }) => type === 'run.paused').length,
    left,
  };
}

function tokensServed(
  tokens: ReturnType<typeof truthOf>['tokens'],
  { agent, scenario, differs }: Reach,
): Account['tokens'] {
  // Over ACP an agent may tell what its own output does not.
  const isSilent = agent.tellsNoTokens === true && (scenario.acp === undefined || differs?.tokens === undefined);
  if (isSilent || differs?.tokens === false) return undefined;
  if (differs?.tokens !== undefined) return differs.tokens;
  const { input, output, cached, reasoning } = tokens;
  return input === 0
    ? undefined
    : {
        input,
        output,
        ...(agent.noCachedTokens === true ? {} : { cached }),
        ...(agent.noReasoningTokens === true ? {} : { reasoning }),
      };
}

/** Leaves out the answer that may have been under way when the limit struck. */
function untilLimit(served: Served, { turnsUntilLimit: turns }: Scenario): Served {
  if (turns === undefined) return served;
  const answers = served.requests.filter(({ side }) => side !== true);
  if (answers.length > turns + 1) throw new Error(`${answers.length} answers were served, the limit is ${turns}`);
  return { requests: answers.slice(0, turns) };
}

/** What the model's side, the file system and the tables know. */
export function truthOfRun({ served }: Performed, reach: Reach): Account {
  const { agent, scenario, differs } = reach;
  const { requests } = untilLimit(served, scenario);
  const { message, calls, tokens } = truthOf({ requests: requests.filter(({ answer }) => answer?.text !== noNotes) });
  const exit = differs?.exit ?? scenario.exit;
  const is = differs?.is ?? scenario.is;
  const tools = calls.map(
    (name, index) => `${agent.toolNames?.[name] ?? name} ${scenario.statuses?.[index] ?? 'completed'}`,
  );
  const changed = scenario.changes ?? [];
  // In a copy git tells what an agent does not.
  const isSilent = agent.tellsNoCalls === true && scenario.flags?.includes('--isolate') !== true;
  return {
    status: exit,
    verdict:
      scenario.refused === true
        ? undefined
        : { class: is, exit_code: exit, ...(scenario.code && { code: scenario.code }) },
    message: is === 'success' ? message : undefined,
    tools: (differs?.tools ?? (agent.tellsNoCalls === true ? [] : tools)).toSorted(),
    results: is === 'success' ? calls.length : undefined,
    tokens: tokensServed(tokens, reach),
    artifacts: differs?.artifacts ?? (isSilent ? [] : changed),
    changed,
    touched: [],
    unknownLines: scenario.refused === true ? undefined : 0,
    waits: scenario.waits ?? 0,
    left: [],
  };
}
