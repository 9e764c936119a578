/** The MCP server name under which Runwire writes tools of other agents, so that reading back restores their names. */
export const foreignServer = 'runwire';
