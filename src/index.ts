export * from './portable.ts';
export { run } from './run.ts';
export type { Run, RunOptions } from './run.ts';
export type { Limits } from './runner/watch.ts';
