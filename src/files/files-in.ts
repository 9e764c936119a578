import { readdirSync } from 'node:fs';

/** The names in a folder with this ending, sorted; none if there is no folder. */
export function filesIn(folder: string, ending: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(ending))
      .toSorted();
  } catch {
    return [];
  }
}
