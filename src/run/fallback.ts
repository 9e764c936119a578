import { readFallback } from '../contract/flag-values.ts';
import type { RunSpec } from '../contract/spec.ts';
import type { ErrorCode } from '../events/event.ts';
import type { RunOutcome, Verdict } from '../outcome/outcome.ts';
import { cutAfter } from '../redact/cut.ts';

/** What would fail with any agent. */
const notWorthIt: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>(['input', 'output', 'output_length']);
const filesTold = 30;
const callsTold = 30;
const longestCall = 200;
const longestAnswer = 2000;

/** What the next agent of a run is asked. */
export function nextSpec(spec: RunSpec, index: number): RunSpec | undefined {
  const given = spec.fallback?.[index];
  if (given === undefined) return undefined;
  const { agent, model } = readFallback(given);
  const { model: _model, resume: _resume, base_url: _address, agent_args: _args, command: _command, ...rest } = spec;
  // A model, its address and more arguments were meant for the agent that they were given for.
  return { ...rest, agent, agent_args: [], ...(model === undefined ? {} : { model }) };
}

/** What is left to do for whoever goes on with a run of which some agents had their turn. */
export function specAfter(spec: RunSpec, fallbacks: number | undefined): RunSpec {
  if (fallbacks === undefined || fallbacks === 0) return spec;
  const next = nextSpec(spec, fallbacks - 1);
  return next === undefined ? spec : { ...next, fallback: (spec.fallback ?? []).slice(fallbacks) };
}

/** Whether another agent may do better. */
export function mayFallBack({ class: name, code }: Verdict): boolean {
  if (notWorthIt.has(code)) return false;
  return name === 'provider' || name === 'config' || name === 'incomplete';
}

/** The task for an agent that goes on where another one stopped: with what is known of that from its own events, not from its words alone. */
export function handOver(prompt: string, outcome: RunOutcome, agent: string): string {
  const done = doneIn(outcome);
  if (done === '') return prompt;
  return `${prompt}

---
Another agent (${agent}) began this task and could not go on: ${reasonOf(outcome.verdict)}. What it did is still in place. Check it before you
build on it, do not do it twice, and finish the task.
${done}`;
}

export function reasonOf({ class: name, evidence }: Verdict): string {
  const why = evidence.find(({ signal }) => signal === 'error') ?? evidence[0];
  const detail = why?.detail ?? '';
  // An error of ours begins with its class.
  return detail.startsWith(`${name}: `) ? detail : `${name}: ${detail}`;
}

function doneIn({ artifacts, tool_calls: calls, message, omitted }: RunOutcome): string {
  const files = artifacts
    .slice(0, filesTold)
    .map(({ path, operation }) => `- ${operation} ${cutAfter(path, longestCall)}`);
  const more = artifacts.length - files.length + (omitted?.artifacts ?? 0);
  const last = calls
    .slice(-callsTold)
    .map(({ name, inputs, status }) => `- ${cutAfter(`${name} ${JSON.stringify(inputs)}`, longestCall)}: ${status}`);
  const parts = [
    files.length === 0
      ? ''
      : `Files that it changed:\n${[...files, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')}`,
    last.length === 0 ? '' : `Its last calls:\n${last.join('\n')}`,
    message === '' ? '' : `Its last words:\n${cutAfter(message, longestAnswer)}`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
