import type { Expected } from '../support/expected.ts';
import { expected as codex } from './codex.ts';
import { expected as geminiJson } from './gemini-json.ts';
import { expected as geminiRelaunch } from './gemini-relaunch.ts';
import { expected as gemini } from './gemini.ts';

export const tables: readonly Expected[] = [codex, gemini, geminiJson, geminiRelaunch];
