import type { RunOutcome } from '../outcome/outcome.ts';
import { oneLine } from '../terminal/plain.ts';

const longestMessage = 200_000;
const longestName = 500;

interface StepOutput {
  /** As `action.yml` and the guide describe it. */
  about: string;
  /** Empty where nobody knows. */
  value(outcome: RunOutcome, outcomeFile: string | undefined): string;
}

function figure(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

/** What a step of a workflow hands on to the next. */
export const outputs: Readonly<Record<string, StepOutput>> = {
  verdict: { about: 'success, error, cancelled or incomplete', value: ({ status }) => status },
  class: { about: 'Why, in one word', value: ({ verdict }) => verdict.class },
  exit_code: { about: 'The exit code of that class', value: ({ verdict }) => String(verdict.exit_code) },
  cost_usd: { about: 'What it cost; empty if unknown', value: ({ metrics }) => figure(metrics.cost) },
  input_tokens: {
    about: 'Tokens that went in, those from a cache included; empty if unknown',
    value: ({ metrics }) => figure(metrics.input_tokens),
  },
  output_tokens: {
    about: 'Tokens that came out; empty if unknown',
    value: ({ metrics }) => figure(metrics.output_tokens),
  },
  cache_read_tokens: {
    about: 'Tokens that came from a cache; empty if unknown',
    value: ({ metrics }) => figure(metrics.cache_read_tokens),
  },
  turns: {
    about: 'How often a model was asked; empty if unknown',
    value: ({ metrics }) => figure(metrics.turns),
  },
  duration_ms: { about: 'How long it took, waits included', value: ({ metrics }) => figure(metrics.duration_ms) },
  waited_ms: { about: 'How long of that it waited for limits', value: ({ metrics }) => figure(metrics.waited_ms ?? 0) },
  model: {
    about: 'The model, as the agent names it; empty if it names none',
    value: ({ metrics }) => oneLine(metrics.model_name ?? '', longestName),
  },
  session_id: {
    about: 'The session, for --resume; empty where there is none',
    value: ({ session_id: id }) => oneLine(id, longestName),
  },
  files_changed: {
    about: 'How many files it changed',
    value: ({ artifacts, omitted }) => String(artifacts.length + (omitted?.artifacts ?? 0)),
  },
  fallbacks: {
    about: 'How many other agents went on for the first',
    value: ({ agents = [] }) => String(Math.max(0, agents.length - 1)),
  },
  message: { about: 'The answer', value: ({ message }) => message.slice(0, longestMessage).toWellFormed() },
  outcome_file: { about: 'The whole outcome, as JSON', value: (_, file) => file ?? '' },
};

/** One output of a step. The delimiter cannot be known in advance, so no value can contain it to end itself early. */
export function stepOutput(name: string, value: string, delimiter: string): string {
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}

export function stepOutputs(outcome: RunOutcome, outcomeFile: string | undefined, newDelimiter: () => string): string {
  return Object.entries(outputs)
    .map(([name, { value }]) => stepOutput(name, value(outcome, outcomeFile), newDelimiter()))
    .join('');
}
