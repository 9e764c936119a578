import { type Passed, readEnvironmentWords } from '../../agents/environment.ts';
import { Failure } from '../../failure.ts';
import type { FailOn } from '../../outcome/verdict.ts';
import { parseLabels } from '../../stores/labels.ts';
import type { Labels } from '../../stores/run-store.ts';
import type { AskedLimits } from '../../run/ask.ts';
import type { Values } from '../command.ts';
import { failOnOf } from '../fail-on.ts';
import { amount, filled, readCost, readCount, readDuration, readWord } from '../flag-values.ts';
import {
  builtIn,
  type Dirty,
  dirtyWays,
  type IsolationKind,
  isolations,
  type PermissionMode,
  permissionModes,
  type TokenPrice,
} from '../../vocabulary.ts';
import { withoutPassword } from '../../redact/url-password.ts';
import { type Documents, readDocuments, readGithub } from './document-flags.ts';
import { type Format, readFormat } from './format-flags.ts';
import type { copyOptions, RunValues } from './options.ts';
import { present } from '../../present.ts';

/** The flags of a run, checked. */
export interface RunFlags {
  format: Format;
  prompt: string | undefined;
  agent: string;
  dialect: string | undefined;
  model: string | undefined;
  baseUrl: string | undefined;
  price: TokenPrice | undefined;
  system: string | undefined;
  appendSystem: string | undefined;
  outputSchema: string | undefined;
  resume: string | undefined;
  cwd: string | undefined;
  limits: AskedLimits;
  budget: string | undefined;
  retries: number;
  retryDelayMs: number;
  extraEnv: Passed;
  agentArgs: readonly string[];
  onEnd: readonly string[];
  ledger: string | undefined;
  tapes: string | undefined;
  report: string | undefined;
  otel: string | undefined;
  labels: Labels;
  keepsTape: boolean;
  failOn: readonly FailOn[];
  /** Rules, or files of rules, as they were typed. */
  expectWords: readonly string[];
  permissionMode: PermissionMode | undefined;
  allow: readonly string[];
  deny: readonly string[];
  directories: readonly string[];
  tape: string | undefined;
  recordModel: string | undefined;
  documents: Documents;
  /** Unset: decided by the environment. */
  github: boolean | undefined;
  /** A run of the ledger, as a person names it. */
  parent: string | undefined;
  isolate: 'auto' | IsolationKind | undefined;
  dirty: Dirty | undefined;
  setup: string | undefined;
  copy: readonly string[];
  projectName: string | undefined;
  parentBranchId: string | undefined;
  quiet: boolean;
  redact: boolean;
}

/** The prompt of the command line; several words without quotes are one prompt. */
function readWords(values: RunValues, operands: readonly string[]): string | undefined {
  if (values.prompt !== undefined && operands.length > 0)
    throw new Failure('input', `two prompts: --prompt and ${JSON.stringify(operands.join(' '))}; give one`);
  return values.prompt ?? (operands.length === 0 ? undefined : operands.join(' '));
}

/** Throws `Failure` with what is wrong and an example of what is right. */
export function readFlags(values: RunValues, operands: readonly string[]): RunFlags {
  return {
    format: readFormat(values),
    prompt: readWords(values, operands),
    agent: filled('--agent', values.agent, 'codex') ?? builtIn,
    dialect: filled('--from', values.from, 'codex'),
    model: filled('--model', values.model, 'anthropic/claude-sonnet-4-5'),
    baseUrl: readUrl(values['base-url']),
    price: readPrice(values.price),
    system: values.system,
    appendSystem: values['append-system'],
    outputSchema: filled('--output-schema', values['output-schema'], 'answer.schema.json'),
    resume: filled('--resume', values.resume, 'the session id of an earlier run'),
    cwd: filled('--cwd', values.cwd, './project'),
    limits: {
      maxTurns: readCount('--max-turns', values['max-turns'], 20),
      maxCostUsd: readCost(values['max-cost-usd']),
      maxTokens: readCount('--max-tokens', values['max-tokens'], 200_000),
      timeoutMs: readDuration('--timeout', values.timeout),
      idleTimeoutMs: readDuration('--idle-timeout', values['idle-timeout']),
      firstEventTimeoutMs: readDuration('--first-event-timeout', values['first-event-timeout']),
      permissionTimeoutMs: readDuration('--permission-timeout', values['permission-timeout']),
    },
    budget: filled('--budget', values.budget, 'team-a'),
    retries: readRetries(values.retries),
    retryDelayMs: readDuration('--retry-delay', values['retry-delay']) ?? 2000,
    extraEnv: readEnvironmentWords(values.env ?? []),
    agentArgs: values['agent-arg'] ?? [],
    ledger: values.ledger,
    tapes: values.tapes,
    report: values.report,
    otel: filled('--otel', values.otel, 'spans.jsonl'),
    labels: parseLabels(values.label),
    keepsTape: values['no-tape'] !== true,
    onEnd: [...(values['on-end'] ?? []), ...(values.notify ?? [])],
    failOn: failOnOf(values['fail-on']).failOn ?? [],
    expectWords: values.expect ?? [],
    permissionMode: readWord('--permission-mode', values['permission-mode'], permissionModes),
    allow: values.allow ?? [],
    deny: values.deny ?? [],
    directories: values['add-dir'] ?? [],
    tape: filled('--tape', values.tape, 'run.tape'),
    documents: readDocuments(values),
    github: readGithub(values),
    recordModel: filled('--record-model', values['record-model'], 'model.jsonl'),
    parent: filled('--parent', values.parent, 'last, or the id of a run'),
    ...readCopy(asked(values)),
    projectName: values['project-name'],
    parentBranchId: values['parent-branch-id'],
    quiet: values.quiet === true,
    redact: values['no-redact'] !== true,
  };
}

function readRetries(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\d{1,3}$/.test(text)) throw new Failure('input', `--retries ${text}: expected a number from 0 to 999, such as 2`);
  return Number(text);
}

const priceNames = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const;

function readPrice(text: string | undefined): RunFlags['price'] {
  if (text === undefined) return undefined;
  const wrong = (why: string): Failure =>
    new Failure('input', `--price ${text}: ${why}; expected USD per million tokens, such as input=3,output=15,cache_read=0.3`);
  const given = new Map<string, number>();
  for (const part of text.split(',')) {
    const [name = '', value = '', ...more] = part.split('=');
    const usd = amount(value);
    if (!priceNames.some((each) => each === name)) throw wrong(`"${part}" is not input, output, cache_read, cache_write or cache_write_1h`);
    if (usd === undefined || more.length > 0) throw wrong(`"${part}" is not an amount`);
    if (given.has(name)) throw wrong(`${name} twice`);
    given.set(name, usd);
  }
  const [input, output, cacheRead, cacheWrite, cacheWriteHour] = priceNames.map((name) => given.get(name));
  if (input === undefined || output === undefined) throw wrong(`${input === undefined ? 'input' : 'output'} is missing`);
  return { input, output, ...present({ cacheRead, cacheWrite, cacheWriteHour }) };
}

function readUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Failure('input', `--base-url ${withoutPassword(text)}: expected a URL such as http://localhost:11434/v1`);
  return text;
}

/** A run works in the checkout itself unless it is asked for a copy. */
function asked(values: RunValues): RunValues {
  const given = (['dirty', 'setup', 'copy'] as const).filter((name) => values[name] !== undefined).map((name) => `--${name}`);
  if (values.isolate === undefined && given.length > 0)
    throw new Failure('input', `${given.join(', ')}: only for a private copy; add --isolate auto`);
  return values;
}

/** The flags that every command with private copies reads the same way. */
function readCopy(values: Values<typeof copyOptions>): Pick<RunFlags, 'isolate' | 'dirty' | 'setup' | 'copy'> {
  return {
    isolate: readWord('--isolate', values.isolate, ['auto', ...isolations]),
    dirty: readWord('--dirty', values.dirty, dirtyWays),
    setup: filled('--setup', values.setup, '"npm ci"'),
    copy: values.copy ?? [],
  };
}
