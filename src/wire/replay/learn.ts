import type { RecordedExchange } from '../recording/recording.ts';
import { leavesOf } from './departure.ts';
import { type Folders, normalise } from './normalise.ts';
import type { ReplayRules } from './rules.ts';
import { toolResultsIn } from './tool-results.ts';

/** What was recorded of one run, and where it worked. */
export interface Recorded {
  exchanges: readonly RecordedExchange[];
  folders: Folders;
}

/** Longer texts are not names that an agent makes up. */
const longestName = 128;
/** What people, models and tools say: to leave it out would be to answer a request that nobody recorded. */
const words =
  /(?:^|\.)(?:text|content|output|arguments|args|input|instructions|system|prompt|response|thinking|summary)$/;

/**
 * The names that differ between two recordings of the same run: ids that an agent makes up anew each time. Requests are compared one
 * by one as far as both recordings go; a field of an element that stands at another place in each request is one field, `input.*.id`.
 */
export function learnRules(one: Recorded, other: Recorded, known: ReplayRules): ReplayRules {
  const learnt = new Set(known.drop);
  one.exchanges.forEach(({ request }, index) => {
    const twin = other.exchanges[index]?.request;
    if (twin === undefined || twin.method !== request.method || twin.path !== request.path) return;
    const [before, after] = [one, other].map(({ folders }, side) =>
      leavesOf(normalise((side === 0 ? request : twin).body, known, folders)),
    );
    const results = toolResultsIn(request.body).map(({ path }) => `${path.join('.')}.`);
    for (const [path, value] of before ?? []) {
      const now = after?.get(path);
      if (now === undefined || now === value || Math.max(now.length, value.length) > longestName) continue;
      if (!words.test(path) && !results.some((result) => path.startsWith(result))) learnt.add(anyElement(path));
    }
  });
  return { ...known, drop: [...learnt] };
}

function anyElement(path: string): string {
  return path
    .split('.')
    .map((name) => (/^\d+$/.test(name) ? '*' : name))
    .join('.');
}
