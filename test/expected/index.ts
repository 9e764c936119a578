import type { Expected } from '../support/expected.ts';
import { expected as cline } from './cline.ts';
import { expected as codex } from './codex.ts';
import { expected as continueCli } from './continue.ts';

export const tables: readonly Expected[] = [codex, cline, continueCli];
