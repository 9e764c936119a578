import type { OpenToolbox } from './toolbox.ts';

/** The built-in tools, those of the configured MCP servers, and the rules for their use. */
export const openBuiltinToolbox: OpenToolbox = async ({ permissions, mcpServers = {}, cwd, env, signal, reach }) => {
  const { builtinTools } = await import('./index.ts');
  const { decide } = await import('../permissions/rules.ts');
  const own = builtinTools({ permissions, contained: env['RUNWIRE_NAMESPACE'] !== 'off', reach });
  if (Object.keys(mcpServers).length === 0) return { tools: own, decide, close: () => Promise.resolve() };
  const { connectMcp } = await import('../mcp/connect.ts');
  const { tools, close } = await connectMcp(mcpServers, { cwd, env, signal, reach });
  return { tools: [...own, ...tools], decide, close };
};
