import type { Expected } from '../support/expected.ts';
import { expected as codex } from './codex.ts';
import { expected as geminiJson } from './gemini-json.ts';
import { expected as geminiRelaunch } from './gemini-relaunch.ts';
import { expected as gemini } from './gemini.ts';
import { expected as piAnthropic } from './pi-anthropic.ts';
import { expected as piGoogle } from './pi-google.ts';
import { expected as piResponses } from './pi-responses.ts';
import { expected as pi } from './pi.ts';

export const tables: readonly Expected[] = [codex, gemini, geminiJson, geminiRelaunch, pi, piAnthropic, piGoogle, piResponses];
