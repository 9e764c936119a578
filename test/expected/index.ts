import type { Expected } from '../support/expected.ts';
import { expected as codex } from './codex.ts';
import { expected as dexter } from './dexter.ts';

export const tables: readonly Expected[] = [codex, dexter];
