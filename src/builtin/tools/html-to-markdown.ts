import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

const require = createRequire(import.meta.url);
const longestTime = 5000;
const most = { maxOldGenerationSizeMb: 512 };

/** Runs as a script of its own, so it names nothing from here. */
const convert = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { NodeHtmlMarkdown } = require(workerData.converter);
  parentPort.postMessage(NodeHtmlMarkdown.translate(workerData.html));
`;

/**
 * The converter needs time in the square of the number of elements, and stack for each level: a page of 1 MB can keep it
 * busy for minutes. So it works in a thread that can be stopped, and what it cannot do in time is only freed of its tags.
 */
export async function htmlToMarkdown(html: string, signal: AbortSignal): Promise<string> {
  const converter = require.resolve('node-html-markdown');
  const worker = new Worker(convert, { eval: true, env: {}, workerData: { html, converter }, resourceLimits: most });
  try {
    return await new Promise<string>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', () => resolve(withoutTags(html)));
      setTimeout(() => resolve(withoutTags(html)), longestTime).unref();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  } finally {
    await worker.terminate();
  }
}

const withoutTags = (html: string): string => html.replaceAll(/<[^<>]*>/g, ' ').replaceAll(/[ \t]{2,}/g, ' ');
