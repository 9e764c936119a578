// Writes every file that is made from the code; `npm run check` fails when one is out of date.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from './generated-files.ts';

for (const [path, text] of await generatedFiles()) writeFileSync(join(import.meta.dirname, '..', path), text);
