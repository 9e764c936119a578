import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { Failure } from '../failure.ts';
import { configFolder, foldersUpToRoot } from './folders.ts';
import { McpServer } from './mcp.ts';

const usd = z.number().nonnegative();
const Texts = z.record(z.string(), z.string());

const project = {
  model: z.string().min(1).optional(),
  system: z.string().optional(),
  /** USD per million tokens, by `provider/name`. */
  prices: z.record(z.string(), z.strictObject({ input: usd, output: usd, cacheRead: usd.optional() })).optional(),
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

/** A repository is not always one's own: what it says must not send anybody's keys elsewhere. */
const ProjectConfig = z.strictObject({
  ...project,
  mcpServers: project.mcpServers.refine(
    (servers) => !JSON.stringify(servers ?? {}).includes('${'),
    'variables such as ${NAME} may only be used in your own config file, never by a project',
  ),
});
const UserConfig = z.strictObject({
  ...project,
  keys: Texts.optional(),
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Folders whose `runwire.json` may start MCP servers and widen permissions. */
  trust: z.array(z.string()).optional(),
});

/** What the files say; flags and the environment come before it. */
export type Config = z.infer<typeof UserConfig>;

/** The user's own file, and the nearest `runwire.json` up to the root of the repository, which wins. */
export async function loadConfig({ cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> }): Promise<Config> {
  const user = (await readConfig(join(configFolder(env), 'config.json'), UserConfig)) ?? {};
  for (const folder of foldersUpToRoot(cwd)) {
    const file = join(folder, 'runwire.json');
    const found = await readConfig(file, ProjectConfig);
    if (found === undefined) continue;
    const asks = widening(found);
    if (asks.length > 0 && env.RUNWIRE_TRUST_PROJECT !== '1' && !(user.trust ?? []).some((each) => resolve(each) === folder)) {
      throw new Failure(
        'config',
        `${file} asks for more than a project may have by itself (${asks.join(', ')}): set RUNWIRE_TRUST_PROJECT=1 for this run, or name the folder in "trust" of your own config file`,
      );
    }
    return merge(user, found);
  }
  return user;
}

/** What would let a repository that is not one's own run commands of its choice. */
function widening({ mcpServers, permissions }: z.infer<typeof ProjectConfig>): string[] {
  return [
    ...(mcpServers === undefined || Object.keys(mcpServers).length === 0 ? [] : ['mcpServers']),
    ...(permissions?.mode === undefined || permissions.mode === 'read-only' ? [] : ['permissions.mode']),
    ...((permissions?.allow ?? []).length === 0 ? [] : ['permissions.allow']),
    ...((permissions?.directories ?? []).length === 0 ? [] : ['permissions.directories']),
  ];
}

async function readConfig<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.infer<Schema> | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Failure('config', `cannot read ${file}: ${code ?? String(error)}`, { cause: error });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure('config', `${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Failure('config', `${file}: ${result.error.issues.map((issue) => describe(issue, schema)).join('; ')}`);
}

function describe(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  const forUserOnly = issue.code === 'unrecognized_keys' && issue.path.length === 0 && (schema as z.ZodType) === ProjectConfig;
  const moved = forUserOnly ? issue.keys.filter((key) => key === 'keys' || key === 'baseUrl') : [];
  if (moved.length > 0) return `${moved.join(' and ')} may only be set in your own config file, never by a project`;
  return `${issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''}${issue.message}`;
}

function merge(user: Config, found: z.infer<typeof ProjectConfig>): Config {
  const lists = (key: 'allow' | 'deny' | 'directories'): string[] => [
    ...(user.permissions?.[key] ?? []),
    ...(found.permissions?.[key] ?? []),
  ];
  const mode = found.permissions?.mode ?? user.permissions?.mode;
  return {
    ...user,
    ...found,
    ...(user.prices || found.prices ? { prices: { ...user.prices, ...found.prices } } : {}),
    ...(user.mcpServers || found.mcpServers ? { mcpServers: { ...user.mcpServers, ...found.mcpServers } } : {}),
    ...(user.permissions || found.permissions
      ? {
          permissions: {
            ...(mode === undefined ? {} : { mode }),
            allow: lists('allow'),
            deny: lists('deny'),
            directories: lists('directories'),
          },
        }
      : {}),
  };
}
