export { startModelServer, type ModelServer } from './server.ts';
export { lastPrompt, lastResults, type FormatId, type ModelRequest } from './request.ts';
export type { TurnInput } from './script.ts';
