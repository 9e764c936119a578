import type { Need } from './tool.ts';

export interface PermissionRules {
  mode: 'read-only' | 'edit' | 'full';
  /** `bash(npm test:*)`, `write(src/**)`, `fetch(example.com)`, or a bare tool name. */
  allow: readonly string[];
  deny: readonly string[];
  /** Folders outside the working directory that file tools may touch. */
  directories: readonly string[];
}

export interface Decision {
  allowed: boolean;
  /** Why, for the model and for the events. */
  reason: string;
}

export type Decide = (rules: PermissionRules, tool: string, need: Need) => Decision;

export function parseRules(
  mode: PermissionRules['mode'],
  allow: readonly string[] = [],
  deny: readonly string[] = [],
  directories: readonly string[] = [],
): PermissionRules {
  return { mode, allow, deny, directories };
}
