import type { Expected } from '../support/expected.ts';
import { expected as codex } from './codex.ts';
import { expected as qwenJson } from './qwen-json.ts';
import { expected as qwenPartial } from './qwen-partial.ts';
import { expected as qwen } from './qwen.ts';

export const tables: readonly Expected[] = [codex, qwen, qwenJson, qwenPartial];
