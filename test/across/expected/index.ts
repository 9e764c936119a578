import type { Expected } from '../../support/expected.ts';
import { expected as cline } from './cline.ts';
import { expected as codex } from './codex.ts';
import { expected as continueCli } from './continue.ts';
import { expected as dexter } from './dexter.ts';
import { expected as gemini } from './gemini.ts';
import { expected as geminiJson } from './gemini-json.ts';
import { expected as geminiRelaunch } from './gemini-relaunch.ts';
import { expected as kilo } from './kilo.ts';
import { expected as opencode } from './opencode.ts';
import { expected as opencodeServe } from './opencode-serve.ts';
import { expected as pi } from './pi.ts';
import { expected as piAnthropic } from './pi-anthropic.ts';
import { expected as piGoogle } from './pi-google.ts';
import { expected as piResponses } from './pi-responses.ts';
import { expected as qwen } from './qwen.ts';
import { expected as qwenJson } from './qwen-json.ts';
import { expected as qwenPartial } from './qwen-partial.ts';

export const tables: readonly Expected[] = [
  cline,
  codex,
  continueCli,
  dexter,
  gemini,
  geminiJson,
  geminiRelaunch,
  kilo,
  opencode,
  opencodeServe,
  pi,
  piAnthropic,
  piGoogle,
  piResponses,
  qwen,
  qwenJson,
  qwenPartial,
];
