// The floor: read, split, JSON.parse, nothing else. With --stringify also the way back.
import { open } from 'node:fs/promises';

const [path = '', mode] = process.argv.slice(2);
const file = await open(path);
const buffer = Buffer.allocUnsafe(1024 * 1024);
const decoder = new TextDecoder();
let rest = '';
let out = '';
let count = 0;
for (;;) {
  const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
  if (bytesRead === 0) break;
  const lines = (rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const value: unknown = JSON.parse(line);
    count += 1;
    if (mode === '--stringify') out += `${JSON.stringify(value)}\n`;
  }
  if (out !== '') {
    const text = out;
    out = '';
    await new Promise((done) => process.stdout.write(text, done));
  }
}
process.stderr.write(`${count} lines\n`);
