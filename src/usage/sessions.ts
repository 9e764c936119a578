import { present } from '../json/present.ts';
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

/** What is known of the sessions of one agent. */
interface OfAgent {
  /** Of a sub-agent, the session that started it. */
  starters: Map<string, string>;
  sessions: Map<string, SessionName>;
}

/** A sub-agent belongs to its session, and one that it started in turn does too. */
export function sessionsOf(all: AllCalls): SessionNames {
  const agents = new Map<string, OfAgent>();
  let count = 0;

  function ofAgent(agent: string): OfAgent {
    let known = agents.get(agent);
    if (known === undefined) agents.set(agent, (known = { starters: new Map(), sessions: new Map() }));
    return known;
  }

  function sessionOf(agent: string, id: string, project: string | undefined): SessionName {
    const { sessions } = ofAgent(agent);
    let session = sessions.get(id);
    if (session === undefined) sessions.set(id, (session = { number: count++, agent, id }));
    if (project !== undefined) session.project = project;
    return session;
  }

  for (const { file, usage } of all.files)
    for (const { id, subAgent, project } of usage.sessions)
      if (subAgent !== undefined) ofAgent(file.agent).starters.set(subAgent, id);
      else if (project !== undefined) sessionOf(file.agent, id, project);

  return {
    of({ agent }, { id, project, subAgent }) {
      const { starters, sessions } = ofAgent(agent);
      const top = starters.size === 0 ? id : topOf(id, starters);
      const session = sessions.get(top) ?? sessionOf(agent, top, undefined);
      if (subAgent === undefined && (session.project !== undefined || project === undefined)) return session;
      return { ...session, ...present({ project: session.project ?? project, subAgent }) };
    },
  };
}

function topOf(id: string, starters: ReadonlyMap<string, string>): string {
  let top = id;
  // A chain that bites its own tail ends as well.
  for (let depth = 0; depth < 20; depth += 1) {
    const starter = starters.get(top);
    if (starter === undefined || starter === top) break;
    top = starter;
  }
  return top;
}
