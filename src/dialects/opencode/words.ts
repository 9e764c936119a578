import type { FileOperation, FinishReason } from '../../events/event.ts';

/** Replies that mean yes; every other one means no. */
export const consents: ReadonlySet<string> = new Set([
  'once',
  'always',
  'allow',
  'allowed',
  'approve',
  'approved',
  'accept',
  'accepted',
  'grant',
  'granted',
  'yes',
  'ok',
]);

/** The title of a request that has none. */
export function plainTitle(what: string, pattern: string | undefined): string {
  return pattern === undefined ? what : `${what} ${pattern}`;
}

/** Bus events that say nothing about a run: whole families, or single types. */
export const ignoredFamilies: ReadonlySet<string> = new Set(
  'account catalog form global ide installation integration lsp mcp models-dev plugin project pty reference server storage suggestion todo tui vcs workspace worktree'.split(
    ' ',
  ),
);
export const ignoredTypes: ReadonlySet<string> = new Set([
  'session.deleted',
  'session.diff',
  'session.compacted',
  'message.removed',
  'message.part.removed',
]);

/** Event families that only the version 2 bus has, named by the second word of their type. */
export const familiesOfVersion2: ReadonlySet<string> = new Set([
  'step',
  'text',
  'reasoning',
  'tool',
  'execution',
  'retried',
  'inbox',
  'prompted',
  'compaction',
  'shell',
  'revert',
]);

export const finishWords: Readonly<Partial<Record<FinishReason, string>>> = {
  stop: 'stop',
  tool_calls: 'tool-calls',
  length: 'length',
  content_filter: 'content-filter',
  error: 'error',
  aborted: 'error',
};

export const changeWords: Readonly<Record<FileOperation, string>> = {
  created: 'added',
  modified: 'modified',
  deleted: 'deleted',
};
