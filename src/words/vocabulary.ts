/** The environment variables of a process, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The APIs by which agents ask models: Anthropic's Messages, OpenAI's Responses and Chat Completions, and Google's Gemini. */
export const modelApis = ['messages', 'responses', 'chat', 'gemini'] as const;
export type ModelApi = (typeof modelApis)[number];

/** What is done with an agent's requests to its models: nothing, or they pass through Runwire, which counts what they use, and may keep them; `auto`: counted where that changes nothing else. */
export const wireModes = ['auto', 'off', 'meter', 'record'] as const;
export type WireMode = (typeof wireModes)[number];

/** What an agent, or a command, can reach: whatever it can; its model; nothing but itself. */
export const networkModes = ['open', 'model', 'none'] as const;

/** What an agent may do without being asked, from least to most. */
export const permissionModes = ['read-only', 'edit', 'full'] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** How a private copy of a checkout is isolated; `auto` is an overlay where the system supports it, else a clone. */
export const isolations = ['overlay', 'clone', 'worktree'] as const;
export type IsolationKind = (typeof isolations)[number];

/** What to do with uncommitted changes when work starts in a copy. */
export const dirtyWays = ['refuse', 'ignore', 'include'] as const;
export type Dirty = (typeof dirtyWays)[number];

/** How to choose the winner of a race among the agents that did what was asked. */
export const bestWays = ['first', 'cheapest', 'smallest', 'fastest'] as const;
export type Best = (typeof bestWays)[number];

/** USD per million tokens; what is absent has the price of what it is a part of. */
export interface TokenPrice {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  /** What is written to be kept for an hour instead of five minutes. */
  cacheWriteHour?: number | undefined;
  reasoning?: number | undefined;
  /** USD per thousand searches. */
  webSearch?: number | undefined;
  /** USD per thousand model calls. */
  call?: number | undefined;
}

/** The agent that comes with Runwire; every other one is a program that must be installed. */
export const builtIn = 'builtin';

/** Any agent that speaks the Agent Client Protocol: its command follows after a colon, or after `--`. */
export const acpAgent = 'acp';
