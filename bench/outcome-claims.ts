// The CPU time of reading a file as `outcome` does, from the start of the process: `outcome-claims.ts FILE with|without`. Only the library can leave the claims out.
import { createReadStream } from 'node:fs';
import { fold } from '../dist/index.js';

const [path = '', claims] = process.argv.slice(2);
await fold(createReadStream(path, { highWaterMark: 1024 * 1024 }), { claims: claims === 'with' });
