import { setTimeout as wait } from 'node:timers/promises';

const grace = 2000;

const living = new Set<number>();

/** Makes sure that a group ends with us even if nobody has the time to end it. */
export function holdGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  if (living.size === 0) process.once('exit', endAll);
  living.add(leader);
}

function endAll(): void {
  for (const leader of living) signalGroup(leader, 'SIGKILL');
}

/** Ends a process with everything that it started and that did not leave its group. True: there was something to end. */
export async function endGroup(leader: number | undefined): Promise<boolean> {
  if (leader === undefined) return false;
  try {
    return await endedGroup(leader);
  } finally {
    living.delete(leader);
    if (living.size === 0) process.off('exit', endAll);
  }
}

async function endedGroup(leader: number): Promise<boolean> {
  if (!signalGroup(leader, 'SIGTERM')) return false;
  for (let waited = 0; waited < grace; waited += 20) {
    await wait(20);
    if (!signalGroup(leader, 0)) return true;
  }
  signalGroup(leader, 'SIGKILL');
  return true;
}

function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

const secretName = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|_PASS$|_PWD$|CREDENTIAL|PRIVATE|COOKIE|DSN$|CONNECTION_?STRING|_AUTH$|^AUTH_/i;
const urlWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/** What a command may know of our environment: everything but what looks like a secret by its name or is a URL with a password. */
export function withoutSecrets(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !secretName.test(name) && !urlWithPassword.test(value)) kept[name] = value;
  }
  return kept;
}
