import { parentPort, workerData } from 'node:worker_threads';

/** A module that is asked for by name alone: this is the file to start as a thread, from the sources and from the package. */
export const markdownWorker = new URL(import.meta.url);

export interface Page {
  htmlForMarkdown: string;
}

const isPage = (data: unknown): data is Page => typeof data === 'object' && data !== null && 'htmlForMarkdown' in data;

if (isPage(workerData)) {
  const { NodeHtmlMarkdown } = await import('node-html-markdown');
  parentPort?.postMessage(NodeHtmlMarkdown.translate(workerData.htmlForMarkdown), []);
}
