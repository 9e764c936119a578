import { readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { objectInLine } from '../stored/lines.ts';
import { number, object } from '../../json/read.ts';
import { present } from '../../json/present.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { codex } from '../codex.ts';
import type { QuotaFact } from './fact.ts';

/** One that just began has no answer yet, and so says nothing. */
const mostFiles = 8;
/** The last answer of a session is near its end. */
const tailBytes = 512 * 1024;
/** Folders of days that are looked into, from the newest. */
const mostDays = 40;

/** The windows of a ChatGPT plan, as the newest sessions of Codex have them. */
export async function codexQuota(env: Environment): Promise<QuotaFact[]> {
  for (const path of newestSessions(env)) {
    const facts = await factsIn(path).catch(() => []);
    if (facts.length > 0) return facts;
  }
  return [];
}

function newestSessions(env: Environment): string[] {
  const files = codex.sessionFiles;
  if (files === undefined) return [];
  const home = env['HOME'] ?? homedir();
  const root = join(env[files.variable] ?? join(home, files.home), files.folder);
  const found: { path: string; at: number }[] = [];
  let days = 0;
  const look = (folder: string, depth: number): void => {
    for (const name of namesIn(folder)) {
      if (found.length >= mostFiles || days >= mostDays) return;
      const path = join(folder, name);
      if (depth < 3) look(path, depth + 1);
      else if (name.endsWith('.jsonl'))
        found.push({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 });
    }
    if (depth === 3) days += 1;
  };
  look(root, 0);
  return found.toSorted((one, other) => other.at - one.at).map(({ path }) => path);
}

/** Folders are years, months and days, and files begin with their time: the last name is the newest. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted().toReversed();
  } catch {
    return [];
  }
}

async function factsIn(path: string): Promise<QuotaFact[]> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, tailBytes));
    await file.read(bytes, 0, bytes.length, size - bytes.length);
    for (let end = bytes.length; end > 0;) {
      const start = bytes.lastIndexOf(10, end - 1) + 1;
      const line = bytes.subarray(start, end);
      const facts = line.includes('"rate_limits"') ? windowsIn(line) : [];
      if (facts.length > 0) return facts;
      end = start - 1;
    }
    return [];
  } finally {
    await file.close();
  }
}

function windowsIn(line: Buffer): QuotaFact[] {
  const { timestamp, payload } = objectInLine(line) ?? {};
  const seen = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  const limits = object(object(payload).rate_limits);
  if (Number.isNaN(seen)) return [];
  return (['primary', 'secondary'] as const).flatMap((window): QuotaFact[] => {
    const {
      used_percent: percent,
      window_minutes: minutes,
      resets_at: at,
      resets_in_seconds: within,
    } = object(limits[window]);
    const used = number(percent);
    if (used === undefined) return [];
    const [seconds, later] = [number(at), number(within)];
    const resets = seconds === undefined ? (later === undefined ? undefined : seen + later * 1000) : seconds * 1000;
    return [
      {
        agent: 'codex',
        window,
        used: Math.min(1, Math.max(0, used / 100)),
        seen_at_ms: seen,
        from: 'session',
        ...present({ window_minutes: number(minutes), resets_at_ms: resets }),
      },
    ];
  });
}
