import { readdirSync } from 'node:fs';

/** The names in a folder that end so, sorted; none where there is no folder. */
export function filesIn(folder: string, ending: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(ending))
      .toSorted();
  } catch {
    return [];
  }
}
