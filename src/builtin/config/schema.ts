import { z } from 'zod';
import { McpServer } from '../mcp/connect.ts';

const usd = z.number().nonnegative();
const Texts = z.record(z.string(), z.string());

const project = {
  model: z.string().min(1).optional(),
  system: z.string().optional(),
  /** USD per million tokens, by `provider/name`. */
  prices: z
    .record(
      z.string(),
      z.strictObject({
        input: usd,
        output: usd,
        cacheRead: usd.optional(),
        cacheWrite: usd.optional(),
        /** For what is kept for an hour. */
        cacheWriteHour: usd.optional(),
      }),
    )
    .optional(),
  permissions: z
    .strictObject({
      mode: z.enum(['read-only', 'edit', 'full']).optional(),
      allow: z.array(z.string()).optional(),
      deny: z.array(z.string()).optional(),
      directories: z.array(z.string()).optional(),
    })
    .optional(),
  mcpServers: z.record(z.string(), McpServer).optional(),
};

/** A repository may be somebody else's: its config must not send the user's keys elsewhere. */
export const ProjectConfig = z.strictObject({
  ...project,
  mcpServers: project.mcpServers.refine(
    (servers) => !JSON.stringify(servers ?? {}).includes('${'),
    'variables such as ${NAME} may only be used in your own config file, never by a project',
  ),
});
export const UserConfig = z.strictObject({
  ...project,
  keys: Texts.optional(),
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Where tapes are kept: `s3://bucket/prefix`, `postgres` or `files`. */
  tapes: z.string().min(1).optional(),
  /** Folders whose `runwire.json` may do more than narrow permissions. */
  trust: z.array(z.string()).optional(),
});
