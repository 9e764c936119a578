export * from './portable.ts';
export { run } from './run/library.ts';
export type { Run, RunOptions } from './run/library.ts';
export type { Limits } from './run/watch.ts';
