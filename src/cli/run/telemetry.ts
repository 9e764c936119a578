import { resolve } from 'node:path';
import type { TelemetryRequest } from '../../telemetry/settings.ts';
import type { Context } from '../context.ts';

/** Where the spans of a run go: the flag, else the OpenTelemetry variables; undefined: nowhere. */
export async function telemetryOf(
  flag: string | undefined,
  { env, cwd }: Context,
  complain: (message: string) => void,
): Promise<TelemetryRequest | undefined> {
  if (flag === undefined && !Object.keys(env).some((name) => name.startsWith('OTEL_'))) return undefined;
  const { readTelemetry } = await import('../../telemetry/settings.ts');
  const { request, warnings } = readTelemetry(flag, env, (name) => resolve(cwd, name));
  for (const each of warnings) complain(each);
  return request;
}
