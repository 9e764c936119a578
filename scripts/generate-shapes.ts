// Writes src/events/shapes.ts from the event schema: what a tape line must look like, checked without loading zod.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapesSource } from './shapes-source.ts';

writeFileSync(join(import.meta.dirname, '..', 'src', 'events', 'shapes.ts'), shapesSource());
