import { Worker } from 'node:worker_threads';
import type { Page } from './markdown-worker.ts';

const longestTime = 5000;
const most = { maxOldGenerationSizeMb: 512 };

/**
 * The converter takes quadratic time in the number of elements, and stack space for each level: a page of 1 MB can keep it
 * busy for minutes. So it runs in a thread that can be stopped, and a page that takes too long is only stripped of its tags.
 */
export async function htmlToMarkdown(html: string, signal: AbortSignal): Promise<string> {
  const { markdownWorker } = await import('./markdown-worker.ts');
  const worker = new Worker(markdownWorker, {
    env: {},
    workerData: { htmlForMarkdown: html } satisfies Page,
    resourceLimits: most,
  });
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
