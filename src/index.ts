export * from './portable.ts';
export { run } from './run/library.ts';
export type { RunOptions } from './run/library.ts';
export type { AskedLimits as Limits } from './run/ask.ts';
export type { Run } from './run/handle.ts';
export type { RunSpec } from './run/spec.ts';
