/** Variables by their names, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What an agent may do without being asked, from least to most. */
export const permissionModes = ['read-only', 'edit', 'full'] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** USD per million tokens. */
export interface TokenPrice {
  input: number;
  output: number;
  cacheRead?: number | undefined;
}

/** The agent that comes with Runwire; every other one is a program that must be installed. */
export const builtIn = 'builtin';
