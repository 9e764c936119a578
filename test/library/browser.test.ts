import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { build } from 'esbuild';
import { type Browser, chromium as playwright } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fold } from '../../src/index.ts';

// A browser's stream is iterable in some engines only; its reader is everywhere.
const html = `<!doctype html><title>runwire</title><script type="module">
import { fold } from '/runwire.js';
async function* chunks(reader) {
  for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
}
window.outcome = await fold(chunks((await fetch('/run.jsonl')).body.getReader()));
</script>`;

const root = join(import.meta.dirname, '..', '..');
const recording = readFileSync(join(root, 'examples', 'codex-run.jsonl'));
let browser: Browser;
let server: Server;

beforeAll(async () => {
  const bundle = await build({
    absWorkingDir: root,
    stdin: { contents: "export { fold } from 'runwire'", resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    minify: true,
  });
  const library = bundle.outputFiles[0]?.contents ?? new Uint8Array();
  const pages: Record<string, [type: string, body: Uint8Array | string]> = {
    '/': ['text/html', html],
    '/runwire.js': ['text/javascript', library],
    '/run.jsonl': ['application/jsonl', recording],
  };
  server = createServer((request, response) => {
    const [type, body] = pages[request.url ?? ''] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      ...chromium.args,
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
    headless: true,
  });
});

afterAll(async () => {
  await browser?.close();
  server?.close();
});

it('reads a stream in a browser as it does in Node.js', async () => {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.waitForFunction('window.outcome !== undefined');
  expect(await page.evaluate('window.outcome')).toEqual(JSON.parse(JSON.stringify(await fold([recording]))));
});
