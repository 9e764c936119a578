import { withoutPassword } from '../redact/url-password.ts';
import type { RunSpec } from '../run/spec.ts';

const elsewhere = 'a worker has nothing from this machine except the repository';

type Rule<Field extends keyof RunSpec> = 'any' | ((value: NonNullable<RunSpec[Field]>) => string | undefined);

/** For each field of a spec, what a queue may not hold, in a sentence. A new field has to be decided here. */
const rules: { readonly [Field in keyof Required<RunSpec>]: Rule<Field> } = {
  agent: 'any',
  command: 'any',
  prompt: 'any',
  // The worker has a folder of its own.
  cwd: 'any',
  // Only names, and only those that the worker allows.
  pass_env: 'any',
  dialect: 'any',
  model: (model) => (model.startsWith('replay/') ? `a model that is a file: ${elsewhere}` : undefined),
  base_url: (address) =>
    withoutPassword(address) === address
      ? undefined
      : 'base_url contains a password, and a job must not contain secrets; give it to the worker',
  price: 'any',
  permission_mode: 'any',
  allow: 'any',
  deny: 'any',
  directories: (folders) => (folders.length === 0 ? undefined : `directories: ${elsewhere}`),
  resume: () => `resume: ${elsewhere}`,
  system: 'any',
  append_system: 'any',
  output_schema: 'any',
  record_model: () => `record_model: ${elsewhere}`,
  agent_args: 'any',
  limits: 'any',
  retries: 'any',
  retry_delay_ms: 'any',
  fail_on: 'any',
  expect: 'any',
  labels: 'any',
  budget: 'any',
  redact: 'any',
  project_name: 'any',
  parent_branch_id: 'any',
  workspace: ({ copy }) => (copy.length === 0 ? undefined : `workspace.copy: ${elsewhere}`),
  parent: 'any',
};

/** Why this spec cannot be queued: asked by whoever queues it, and again by the worker, since a row may have been written by anyone. */
export function whyNotQueued(spec: RunSpec): string | undefined {
  if (spec.prompt === '' && spec.command === undefined) return 'it has neither a prompt nor a command';
  for (const field of Object.keys(rules) as (keyof RunSpec)[]) {
    const [rule, value] = [rules[field] as 'any' | ((value: unknown) => string | undefined), spec[field]];
    const why = rule === 'any' || value === undefined ? undefined : rule(value);
    if (why !== undefined) return why;
  }
  return undefined;
}
