import type { StoreFile } from './find-files.ts';
import type { AllCalls } from './merge.ts';
import type { Session } from './read/format.ts';

/** A session, the same one for all files that tell of it. */
export interface SessionName {
  number: number;
  agent: string;
  id: string;
  project?: string;
  /** The sub-agent whose calls these are. */
  subAgent?: string;
}

export interface SessionNames {
  of(file: StoreFile, session: Session): SessionName;
}

/** A sub-agent belongs to its session, and one that it started in turn does too. */
export function sessionsOf(all: AllCalls): SessionNames {
  const starters = new Map<string, string>();
  const projects = new Map<string, string>();
  for (const { file, usage } of all.files)
    for (const { id, subAgent, project } of usage.sessions) {
      if (subAgent !== undefined) starters.set(`${file.agent} ${subAgent}`, id);
      else if (project !== undefined) projects.set(`${file.agent} ${id}`, project);
    }
  const numbers = new Map<string, number>();

  function topOf(agent: string, id: string): string {
    let top = id;
    // A chain that bites its own tail ends as well.
    for (let depth = 0; depth < 20; depth += 1) {
      const starter = starters.get(`${agent} ${top}`);
      if (starter === undefined || starter === top) break;
      top = starter;
    }
    return top;
  }

  return {
    of({ agent }, { id, project, subAgent }) {
      const top = topOf(agent, id);
      const key = `${agent} ${top}`;
      let number = numbers.get(key);
      if (number === undefined) numbers.set(key, (number = numbers.size));
      const folder = projects.get(key) ?? project;
      return {
        number,
        agent,
        id: top,
        ...(folder === undefined ? {} : { project: folder }),
        ...(subAgent === undefined ? {} : { subAgent }),
      };
    },
  };
}
