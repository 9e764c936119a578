import { findDialect } from './dialects/registry.ts';
import { eventVersion } from './events/version.ts';

/** The formats that are Runwire's own, by the name `runwire schema` knows them by. */
export const formats = {
  event: async () => (await import('./events/event.ts')).AgentEvent,
  record: async () => (await import('./events/event.ts')).EventRecord,
  outcome: async () => (await import('./outcome/outcome.ts')).RunOutcome,
  claims: async () => (await import('./claims/schema.ts')).ClaimsReport,
  expect: async () => (await import('./expect/rule.ts')).RuleFile,
  'queued-spec': async () => (await import('./fleet/job.ts')).QueuedSpec,
  'run-spec': async () => (await import('./contract/spec.ts')).RunSpec,
} as const;

/** JSON Schema (draft 2020-12) of one of our formats, or of one object of a dialect's wire. */
export async function schemaOf(name: string): Promise<Record<string, unknown>> {
  const { z } = await import('zod');
  const own = Object.hasOwn(formats, name) ? formats[name as keyof typeof formats] : undefined;
  const schema = own === undefined ? await findDialect(name).schema() : await own();
  const { $schema, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return {
    $schema,
    $id: `runwire:${name}:${own === undefined ? 'wire' : eventVersion}`,
    title: `Runwire ${name}`,
    ...rest,
  };
}
