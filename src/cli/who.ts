import { hostname, userInfo } from 'node:os';

/** The user who asks, in a form that people recognise: `ada@laptop`. */
export function who(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return hostname();
  }
}
