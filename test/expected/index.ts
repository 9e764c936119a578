import type { Expected } from '../support/expected.ts';
import { expected as codex } from './codex.ts';

export const tables: readonly Expected[] = [codex];
