import type { Expected } from '../support/expected.ts';
import { expected as codex } from './codex.ts';
import { expected as kilo } from './kilo.ts';
import { expected as opencodeServe } from './opencode-serve.ts';
import { expected as opencode } from './opencode.ts';

export const tables: readonly Expected[] = [codex, opencode, opencodeServe, kilo];
