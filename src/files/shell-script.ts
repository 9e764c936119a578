import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of a script that lies beside the code; in the built package it stands in the code itself (`scripts/build.ts`). */
export function shellScript(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}
