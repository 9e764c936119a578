import type { Run } from '../facts/facts.ts';

/** What the lines of a whole run say of a part of it. */
export function linesAbout(run: Run, parts: readonly string[]): 'pass' | 'fail' | undefined {
  const bare = parts.map((part) => part.toLowerCase());
  let found: 'pass' | 'fail' | undefined;
  for (const line of run.step.lines) {
    if (line.length > 500) continue;
    const text = line.toLowerCase();
    if (!bare.some((part) => text.includes(part))) continue;
    if (/^\s*(?:fail|--- fail|✗|✖|×|❌|not ok|failed|x )|\bfailed\b|\berror\b|\.\.\. (?:fail|error)/i.test(line))
      return 'fail';
    if (/^\s*(?:ok\b|pass\b|✓|✔|--- pass)|\bpassed\b|\.\.\. ok|\bPASS(?:ED)?\b|: done\b|\bbuilt\b|\bsucce/i.test(line))
      found = 'pass';
  }
  return found;
}
