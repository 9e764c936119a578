import { failOnWords } from '../outcome/verdict.ts';
import { withoutPassword } from '../redact/url-password.ts';
import { builtIn, dirtyWays, isolations, networkModes, permissionModes, wireModes } from '../words/vocabulary.ts';
import { readFailOn } from './fail-on.ts';
import { field, type Fields, type Kit } from './field.ts';
import {
  filled,
  onLimitWords,
  plainDecimal,
  readCost,
  readCount,
  readDuration,
  readFallbacks,
  readOnLimit,
  readRetries,
  readHosts,
  readModels,
  readUrl,
  readWord,
  writeDuration,
} from './flag-values.ts';
import { parseLabels } from './labels.ts';
import { readPrice, writePrice } from './price.ts';
import { shapeOf } from './shape.ts';

const count = ({ z }: Kit) => z.int().positive();
const ms = ({ z }: Kit) => z.number().positive();
const usd = (z: Kit['z']) => z.number().nonnegative();
const text = ({ z }: Kit) => z.string();
const name = ({ z }: Kit) => z.string().min(1);
const texts = ({ z }: Kit) => z.array(z.string());

const all = ['acp', 'enqueue', 'crew'] as const;
const alone = ['acp', 'enqueue'] as const;

const elsewhere = 'a worker has nothing from this machine except the repository';

/** What a run may take, its retries included. Unset: no limit. */
export const limitFields = {
  max_turns: field(count, {
    limit: 'turns',
    flag: {
      name: 'max-turns',
      type: 'string',
      value: 'N',
      help: 'Stop after N model calls (exit 6)',
      group: 'Limits',
      common: true,
      also: alone,
    },
    read: (given, flag) => readCount(flag, given, 20),
    isForAgent: true,
  }),
  max_repeats: field(({ z }: Kit) => z.int().min(2), {
    limit: 'repeats',
    about: 'The same call with the same result so many times in a row; default: a warning at 5.',
    flag: {
      name: 'max-repeats',
      type: 'string',
      value: 'N',
      help: 'Stop when the same call, or a cycle of up to four, has had the same result N times in a row (exit 6; default: warn at 5)',
      group: 'Limits',
      also: all,
    },
    read: (given, flag) => readCount(flag, given, 5, 2),
  }),
  max_cost_usd: field(({ z }: Kit) => z.number().positive(), {
    limit: 'cost',
    flag: {
      name: 'max-cost-usd',
      type: 'string',
      value: 'USD',
      help: 'Stop when the run has cost this much (exit 5)',
      group: 'Limits',
      common: true,
      also: all,
      wording: { crew: { help: 'Stop when everything together has cost this much (exit 5)' } },
    },
    read: (given, flag) => readCost(flag, given),
    write: plainDecimal,
    isForAgent: true,
  }),
  max_tokens: field(count, {
    about: 'Input and output tokens together.',
    limit: 'tokens',
    flag: {
      name: 'max-tokens',
      type: 'string',
      value: 'N',
      help: 'Stop when the run has used this many tokens, input and output (exit 5)',
      group: 'Limits',
      also: all,
      wording: { crew: { help: 'Stop when everything together has used this many tokens (exit 5)' } },
    },
    read: (given, flag) => readCount(flag, given, 200_000),
  }),
  timeout_ms: field(ms, {
    about: 'Of the whole run, its retries included.',
    limit: 'time',
    flag: {
      name: 'timeout',
      type: 'string',
      value: 'DURATION',
      help: 'Stop after this long: 90s, 5m, 1h30m (exit 124)',
      group: 'Limits',
      common: true,
      also: all,
    },
    read: (given, flag) => readDuration(flag, given),
    write: writeDuration,
  }),
  idle_timeout_ms: field(ms, {
    about: 'Without a byte on either stream.',
    limit: 'idle',
    flag: {
      name: 'idle-timeout',
      type: 'string',
      value: 'DURATION',
      help: 'Stop when the agent prints nothing for this long (exit 124)',
      group: 'Limits',
      also: alone,
    },
    read: (given, flag) => readDuration(flag, given),
    write: writeDuration,
  }),
  max_requests_per_minute: field(count, {
    about: 'Requests to models that go out within any minute; those beyond wait.',
    flag: {
      name: 'max-requests-per-minute',
      type: 'string',
      value: 'N',
      help: 'Let at most N requests to models go out within any minute; those beyond wait. Needs an agent that can be sent through the wire',
      group: 'Limits',
      also: alone,
    },
    read: (given, flag) => readCount(flag, given, 60),
  }),
  first_event_timeout_ms: field(ms, {
    about: 'Until the agent prints anything that we understand.',
    limit: 'first_event',
    flag: {
      name: 'first-event-timeout',
      type: 'string',
      value: 'DURATION',
      help: 'Stop when no event has arrived by then (exit 124)',
      group: 'Limits',
      also: alone,
    },
    read: (given, flag) => readDuration(flag, given),
    write: writeDuration,
  }),
  permission_timeout_ms: field(ms, {
    about: 'How long a question that nobody can answer may stay open; default: 20 s.',
    flag: {
      name: 'permission-timeout',
      type: 'string',
      value: 'DURATION',
      help: 'How long a permission question that nobody can answer stays open (default: 20s; exit 7)',
      group: 'Permissions',
      also: alone,
    },
    read: (given, flag) => readDuration(flag, given),
    write: writeDuration,
  }),
} as const satisfies Fields;

/** A private copy of the checkout, whose effect is kept as a branch. */
export const workspaceFields = {
  isolate: field(({ z }: Kit) => z.enum(['auto', ...isolations]), {
    about:
      'A private copy of the checkout to work in: `auto` is an overlay where the system can do it, else a clone. Its effect is kept as a branch.',
    default: 'auto',
    flag: {
      name: 'isolate',
      type: 'string',
      value: ['auto', ...isolations].join('|'),
      choices: ['auto', ...isolations],
      help: 'Work in a private copy of the checkout and keep the changes as a branch; see "runwire apply" and "runwire drop"',
      group: 'Workspace',
      common: true,
      also: all,
      wording: {
        crew: { help: 'How private copies are made (default: auto, an overlay where possible, else a clone)' },
      },
    },
    read: (given, flag) => readWord(flag, given, ['auto', ...isolations]),
  }),
  // The branch or commit to start from; unset: what is checked out. `parent_branch_id` asks for it.
  from: field(name, { option: null }),
  dirty: field(({ z }: Kit) => z.enum(dirtyWays), {
    about: 'In a copy: what happens to uncommitted changes; default: the run is refused.',
    default: 'refuse',
    flag: {
      name: 'dirty',
      type: 'string',
      value: dirtyWays.join('|'),
      choices: dirtyWays,
      help: 'What a copy does with uncommitted changes (default: refuse)',
      group: 'Workspace',
      also: all,
    },
    read: (given, flag) => readWord(flag, given, dirtyWays),
  }),
  // The branch that the work is kept on; unset: `runwire/RUN/1-…`.
  branch: field(name, { option: null }),
  setup: field(name, {
    about: 'In a copy: a shell command that prepares it.',
    flag: {
      name: 'setup',
      type: 'string',
      value: 'CMD',
      help: 'Run this shell command in each copy before the work',
      group: 'Workspace',
      also: all,
    },
    read: (given, flag) => filled(flag, given, '"npm ci"'),
  }),
  copy: field(texts, {
    about: 'In a copy: untracked files that it must have.',
    default: [],
    flag: {
      name: 'copy',
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: 'Put this file, which git does not track, into each copy; may be repeated',
      group: 'Workspace',
      also: ['acp', 'crew'],
    },
    readAll: (given) => [...given],
  }),
} as const satisfies Fields;

/** What can be asked of a run: data that can be stored, queued and sent. It names variables, never their values. */
export const requestFields = {
  agent: field(name, {
    about:
      '`builtin` (default), the id of an installed agent (`codex`, `claude`, …), or `acp:COMMAND` for one that speaks ACP.',
    default: builtIn,
    flag: {
      name: 'agent',
      type: 'string',
      short: 'a',
      value: 'NAME',
      help: 'The agent: builtin (default), codex, claude, opencode, gemini, qwen, pi, …; see "runwire agents"; acp:COMMAND is any command that speaks ACP; codex,claude: the second is a --fallback',
      group: 'Agent and model',
      common: true,
      also: alone,
    },
    read: (given, flag) => filled(flag, given, 'codex'),
  }),
  command: field(texts, {
    about: 'Your own command instead, program first; its dialect is detected, or named in `from`.',
  }),
  prompt: field(text, {
    about: 'What to do. For a command: what goes to its stdin.',
    default: '',
    flag: {
      name: 'prompt',
      type: 'string',
      short: 'p',
      value: 'TEXT',
      help: 'What to do (default: the argument, or stdin); text on stdin is appended',
      group: 'What to do',
      common: true,
      also: ['enqueue'],
    },
  }),
  cwd: field(name, {
    default: '.',
    option: null,
    flag: {
      name: 'cwd',
      type: 'string',
      short: 'C',
      value: 'DIR',
      help: 'Work in this folder',
      group: 'Workspace',
      common: true,
      also: ['enqueue', 'crew'],
    },
    read: (given, flag) => filled(flag, given, './project'),
    isPath: true,
  }),
  // Variables that the agent's process may have on top of the usual ones: `NAME`, `PREFIX_*` or `*`.
  pass_env: field(texts, {
    default: [],
    option: null,
    flag: {
      name: 'env',
      type: 'string',
      multiple: true,
      value: 'NAME[=VALUE]',
      help: "Also pass this environment variable to the agent's process (or PREFIX_*, or *); may be repeated",
      group: 'Permissions',
      also: all,
      wording: {
        enqueue: {
          value: 'NAME',
          help: "Pass this environment variable of the worker to the agent's process, if the worker allows it; may be repeated",
        },
      },
    },
  }),
  dialect: field(text, {
    about: 'The dialect that the command prints; default: detected.',
    option: 'from',
    flag: {
      name: 'from',
      type: 'string',
      value: 'DIALECT',
      help: 'The dialect that the COMMAND after -- prints (default: detected)',
      group: 'Agent and model',
      also: ['enqueue'],
    },
    read: (given, flag) => filled(flag, given, 'codex'),
  }),
  model: field(text, {
    flag: {
      name: 'model',
      type: 'string',
      short: 'm',
      value: 'PROVIDER/NAME',
      help: 'The model: openai/…, anthropic/…, google/…, azure/…, ollama/…, openai-compatible/…, replay/FILE',
      group: 'Agent and model',
      common: true,
      also: all,
    },
    read: (given, flag) => filled(flag, given, 'anthropic/claude-sonnet-4-5'),
    isForAgent: true,
    whyNotQueued: (model) => (model.startsWith('replay/') ? `a model that is a file: ${elsewhere}` : undefined),
  }),
  base_url: field(text, {
    flag: {
      name: 'base-url',
      type: 'string',
      value: 'URL',
      help: 'Where the model is served',
      group: 'Agent and model',
      also: all,
    },
    read: (given, flag) => readUrl(flag, given),
    isForAgent: true,
    whyNotQueued: (address) =>
      withoutPassword(address) === address
        ? undefined
        : 'base_url contains a password, and a job must not contain secrets; give it to the worker',
  }),
  price: field(
    ({ z }: Kit) =>
      z.strictObject({
        input: usd(z),
        output: usd(z),
        cache_read: usd(z).optional(),
        cache_write: usd(z).optional(),
        cache_write_1h: usd(z).optional(),
      }),
    {
      about: 'USD per million tokens.',
      flag: {
        name: 'price',
        type: 'string',
        value: 'input=USD,output=USD[,…]',
        help: 'USD per million tokens, for a model that is not in the price table; also cache_read, cache_write, cache_write_1h',
        group: 'Agent and model',
        also: all,
      },
      read: readPrice,
      write: writePrice,
      isForAgent: true,
    },
  ),
  wire: field(({ z }: Kit) => z.enum(wireModes), {
    about:
      "Whether the agent's requests to its models pass through Runwire, which then counts what they use (`meter`), and keeps them on the tape (`record`); default: `auto`, which is `meter` for an agent where that changes nothing else.",
    flag: {
      name: 'wire',
      type: 'string',
      value: wireModes.join('|'),
      choices: wireModes,
      bare: 'meter',
      help: 'Let the requests of an agent or a command to its models pass through Runwire, which counts tokens, cost and models (meter, or no value); record: keep them too, see "runwire runs show --wire"; auto: meter where an agent has a key and is known to work so (default)',
      group: 'Agent and model',
      also: alone,
    },
    read: (given, flag) => readWord(flag, given, wireModes),
  }),
  models: field(texts, {
    about: 'The only models that may be asked: `NAME`, or with `*` for any part of it. Unset: any.',
    default: [],
    flag: {
      name: 'models',
      type: 'string',
      multiple: true,
      value: 'NAME',
      help: "Refuse requests to other models than these (gpt-5, 'claude-*'; repeatable). Needs an agent that can be sent through the wire",
      group: 'Limits',
      also: alone,
    },
    readAll: readModels,
  }),
  network: field(({ z }: Kit) => z.enum(networkModes), {
    about:
      'What the agent and everything that it starts can reach: `open` is whatever you can (default), `model` its model through the wire and nothing else, `none` nothing but itself.',
    flag: {
      name: 'network',
      type: 'string',
      value: networkModes.join('|'),
      choices: networkModes,
      help: 'What the agent and all that it starts can reach: its model alone, or nothing; needs Linux with namespaces (default: open)',
      group: 'Permissions',
      also: alone,
    },
    read: (given, flag) => readWord(flag, given, networkModes),
    isForAgent: true,
  }),
  allow_host: field(texts, {
    about: 'Hosts that can be reached besides, with `network` `model` or `none`: `NAME`, `NAME:PORT` or `*.NAME`.',
    default: [],
    option: 'allowHosts',
    flag: {
      name: 'allow-host',
      type: 'string',
      multiple: true,
      value: 'NAME',
      help: 'With --network model or none: let this host be reached, encrypted (NAME, NAME:PORT, *.NAME; repeatable)',
      group: 'Permissions',
      also: alone,
    },
    readAll: readHosts,
    isForAgent: true,
  }),
  permission_mode: field(({ z }: Kit) => z.enum(permissionModes), {
    flag: {
      name: 'permission-mode',
      type: 'string',
      value: permissionModes.join('|'),
      choices: permissionModes,
      help: 'What the agent may do without a rule',
      group: 'Permissions',
      common: true,
      also: all,
      wording: { crew: { help: 'What each agent may do without a rule (default: edit)' } },
    },
    read: (given, flag) => readWord(flag, given, permissionModes),
    isForAgent: true,
  }),
  allow: field(texts, {
    about: 'Rules of the built-in agent, and for permission requests of ACP agents.',
    default: [],
    flag: {
      name: 'allow',
      type: 'string',
      multiple: true,
      value: 'RULE',
      help: 'Allow bash(npm test:*), write(src/**), fetch(example.com), …; may be repeated',
      group: 'Permissions',
      common: true,
      also: all,
    },
    readAll: (given) => [...given],
    isForAgent: true,
  }),
  deny: field(texts, {
    default: [],
    flag: {
      name: 'deny',
      type: 'string',
      multiple: true,
      value: 'RULE',
      help: 'Deny with the same syntax; overrides --allow; may be repeated',
      group: 'Permissions',
      also: all,
    },
    readAll: (given) => [...given],
    isForAgent: true,
  }),
  directories: field(texts, {
    about: 'Folders outside `cwd` that it may work in.',
    default: [],
    flag: {
      name: 'add-dir',
      type: 'string',
      multiple: true,
      value: 'DIR',
      help: 'Let file tools work in this folder too; may be repeated',
      group: 'Permissions',
      also: ['acp'],
    },
    readAll: (given) => [...given],
    isPath: true,
    isForAgent: true,
    whyNotQueued: (folders) => (folders.length === 0 ? undefined : `directories: ${elsewhere}`),
  }),
  resume: field(text, {
    about: 'A session to resume.',
    flag: {
      name: 'resume',
      type: 'string',
      value: 'ID',
      help: 'Resume an earlier session',
      group: 'What to do',
      common: true,
      also: [],
    },
    read: (given, flag) => filled(flag, given, 'the session id of an earlier run'),
    isForAgent: true,
    whyNotQueued: () => `resume: ${elsewhere}`,
  }),
  system: field(text, {
    flag: {
      name: 'system',
      type: 'string',
      value: 'TEXT',
      help: "Replace the agent's instructions",
      group: 'Agent and model',
      also: alone,
    },
    read: (given) => given,
    isForAgent: true,
  }),
  append_system: field(text, {
    flag: {
      name: 'append-system',
      type: 'string',
      value: 'TEXT',
      help: "Add to the agent's instructions",
      group: 'Agent and model',
      also: alone,
    },
    read: (given) => given,
    isForAgent: true,
  }),
  output_schema: field(({ z }: Kit) => z.record(z.string(), z.json()), {
    about: 'A JSON Schema for the answer.',
    flag: {
      name: 'output-schema',
      type: 'string',
      value: 'FILE|{…}',
      help: 'JSON Schema that the answer must match, in a file or as it is',
      group: 'What to do',
      also: ['enqueue'],
    },
    write: (schema) => JSON.stringify(schema),
    isForAgent: true,
  }),
  record_model: field(text, {
    about: 'A file for the conversation with the model.',
    flag: {
      name: 'record-model',
      type: 'string',
      value: 'FILE',
      help: 'Record the conversation with the model, for replay/FILE',
      group: 'Recording',
      also: [],
    },
    read: (given, flag) => filled(flag, given, 'model.jsonl'),
    isPath: true,
    isForAgent: true,
    whyNotQueued: () => `record_model: ${elsewhere}`,
  }),
  agent_args: field(texts, {
    about: "More arguments for the agent's own command line.",
    default: [],
    flag: {
      name: 'agent-arg',
      type: 'string',
      multiple: true,
      value: 'ARG',
      help: "Add this argument to the agent's own command line; may be repeated",
      group: 'Agent and model',
      also: alone,
    },
    readAll: (given) => [...given],
  }),
  limits: field((kit: Kit) => kit.z.strictObject(shapeOf(kit, limitFields)), { default: {}, option: null }),
  retries: field(({ z }: Kit) => z.int().nonnegative(), {
    about: "How often to restart a run that broke off or failed on the model's side; default 0.",
    default: 0,
    flag: {
      name: 'retries',
      type: 'string',
      value: 'N',
      help: 'Retry up to N times when the model fails or the run breaks off',
      group: 'Limits',
      common: true,
      also: alone,
    },
    read: (given, flag) => readRetries(flag, given),
  }),
  retry_delay_ms: field(({ z }: Kit) => z.number().nonnegative(), {
    about: 'The first wait before a retry, doubled each time.',
    default: 2000,
    flag: {
      name: 'retry-delay',
      type: 'string',
      value: 'DURATION',
      help: 'Wait this long before the first retry, and twice as long each time after (default: 2s)',
      group: 'Limits',
      also: alone,
    },
    read: (given, flag) => readDuration(flag, given),
    write: writeDuration,
  }),
  on_limit: field(({ z }: Kit) => z.string().regex(onLimitWords, 'expected fail, wait or wait:DURATION'), {
    about:
      'What happens when a quota or rate limit stops the agent and it is known when that resets: `fail` (default), `wait`, or `wait:DURATION` for so long at most, all waits together.',
    flag: {
      name: 'on-limit',
      type: 'string',
      value: 'wait[:MAX]|fail',
      help: 'When a quota or rate limit stops the agent: wait until it resets, MAX in all (wait:5h), and go on; or fail (default)',
      group: 'Limits',
      common: true,
      also: alone,
    },
    read: (given, flag) => readOnLimit(given, flag),
  }),
  max_waits: field(({ z }: Kit) => z.int().nonnegative(), {
    about: 'How often it waits for a limit at most; default 3.',
    flag: {
      name: 'max-waits',
      type: 'string',
      value: 'N',
      help: 'Wait for a limit no more than N times (default: 3)',
      group: 'Limits',
      also: alone,
    },
    read: (given, flag) => readRetries(flag, given),
  }),
  fallback: field(texts, {
    about:
      'Agents that go on, in order, when the one before is not installed, has no key or no quota left, or its provider fails: `AGENT` or `AGENT=MODEL`.',
    flag: {
      name: 'fallback',
      type: 'string',
      multiple: true,
      value: 'AGENT[=MODEL]',
      help: 'Let this agent go on when the one before cannot: not installed, no key, no quota, its provider fails; may be repeated',
      group: 'Agent and model',
      common: true,
      also: alone,
    },
    readAll: readFallbacks,
  }),
  fallback_after_work: field(({ z }: Kit) => z.literal(true), {
    about:
      'Whether another agent also goes on after work that cannot be undone: edits outside a private copy, commands; default false.',
    flag: {
      name: 'fallback-after-work',
      type: 'boolean',
      help: 'Fall back also when the agent before has edited files outside a private copy, or run commands',
      group: 'Agent and model',
      also: alone,
    },
  }),
  fail_on: field(({ z }: Kit) => z.array(z.enum(failOnWords)), {
    default: [],
    flag: {
      name: 'fail-on',
      type: 'string',
      value: 'tool,denied,…',
      help: `Also count these as failures, separated by commas: ${failOnWords.filter((word) => word !== 'none').join(', ')}; none: do not even fail a run in which everything was denied`,
      group: 'What to do',
      also: alone,
    },
    read: readFailOn,
    write: (words) => words.join(','),
  }),
  expect: field(({ z, Rule }: Kit) => z.array(Rule), {
    about: 'What is expected of the run; a rule that does not hold turns a success into a failure.',
    option: null,
    flag: {
      name: 'expect',
      type: 'string',
      multiple: true,
      value: 'RULE|FILE',
      help: "A rule that must hold, else exit 9: 'must not touch test/**', 'at most $0.50', 'after: npm test', …, or a file of rules; may be repeated",
      group: 'What to do',
      common: true,
      also: all,
    },
    write: (rules) => JSON.stringify(rules),
  }),
  labels: field(({ labels }: Kit) => labels, {
    default: {},
    flag: {
      name: 'label',
      type: 'string',
      multiple: true,
      value: 'KEY=VALUE',
      help: 'Label the run, to find it in the ledger; may be repeated',
      group: 'Recording',
      also: ['acp', 'crew'],
    },
    readAll: parseLabels,
    write: (labels) => Object.entries(labels).map(([key, value]) => `${key}=${value}`),
  }),
  budget: field(name, {
    about: 'A budget in the ledger that the run draws on, together with all runs below it.',
    flag: {
      name: 'budget',
      type: 'string',
      value: 'NAME',
      help: 'Spend from this budget of the ledger, see "runwire budget"; exit 5 when nothing is left',
      group: 'Limits',
      also: ['acp', 'crew'],
    },
    read: (given, flag) => filled(flag, given, 'team-a'),
  }),
  redact: field(({ z }: Kit) => z.boolean(), {
    about: 'Whether secrets are replaced; default true.',
    default: true,
    flag: {
      name: 'no-redact',
      type: 'boolean',
      help: 'Show secrets instead of replacing them',
      group: 'More',
      also: all,
    },
    isForAgent: true,
  }),
  project_name: field(text, {
    flag: {
      name: 'project-name',
      type: 'string',
      value: 'NAME',
      help: 'Name of the project (default: the folder of the git repository)',
      group: 'More',
      also: all,
    },
    read: (given) => given,
    isForAgent: true,
  }),
  parent_branch_id: field(text, {
    flag: {
      name: 'parent-branch-id',
      type: 'string',
      value: 'ID',
      help: 'Id of the parent branch (default: the current git branch)',
      group: 'More',
      also: all,
      wording: {
        enqueue: { help: 'The branch or commit to start from (default: what is checked out)' },
        crew: { value: 'BRANCH', help: 'The branch or commit to start from (default: what is checked out)' },
      },
    },
    read: (given) => given,
    isForAgent: true,
  }),
  workspace: field((kit: Kit) => kit.z.strictObject(shapeOf(kit, workspaceFields)), {
    option: null,
    whyNotQueued: ({ copy }) => (copy.length === 0 ? undefined : `workspace.copy: ${elsewhere}`),
  }),
  // The run that this one is part of, and the top of that tree.
  parent: field(({ z }: Kit) => z.strictObject({ run_id: z.string().min(1), root_run_id: z.string().min(1) }), {
    option: null,
    flag: {
      name: 'parent',
      type: 'string',
      value: 'RUN',
      help: 'Record this run in the ledger as a child of RUN; "runwire runs list --tree" shows it there',
      group: 'Recording',
      also: alone,
    },
    write: ({ run_id }) => run_id,
  }),
} as const satisfies Fields;
