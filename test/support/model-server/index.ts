export { startModelServer, type ModelServer } from './server.ts';
export { lastPrompt, type FormatId } from './request.ts';
export type { TurnInput } from './script.ts';
