import { parentPort, workerData } from 'node:worker_threads';

/** The file to start as a thread. Importing this module for its URL works both from the sources and from the package. */
export const markdownWorker = new URL(import.meta.url);

export interface Page {
  htmlForMarkdown: string;
}

const isPage = (data: unknown): data is Page => typeof data === 'object' && data !== null && 'htmlForMarkdown' in data;

if (isPage(workerData)) {
  const { NodeHtmlMarkdown } = await import('node-html-markdown');
  parentPort?.postMessage(NodeHtmlMarkdown.translate(workerData.htmlForMarkdown), []);
}
