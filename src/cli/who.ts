import { hostname, userInfo } from 'node:os';

/** Who asks, as people know them: `ada@laptop`. */
export function who(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return hostname();
  }
}
