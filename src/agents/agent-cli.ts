import type { PermissionMode } from '../words/vocabulary.ts';
import type { Pointing, PointingPlace } from './pointing/pointing.ts';
import type { SessionStore } from './session-meter.ts';

/** What a user may ask of any agent. A plan turns it into the arguments of one command line. */
export interface Ask {
  prompt: string;
  cwd: string;
  /** `provider/name` as it was typed, or the agent's own name for it. Unset: the agent's default. */
  model?: string;
  permissionMode: PermissionMode;
  /** The id of a session of this agent to resume. */
  resume?: string;
  maxTurns?: number;
  maxCostUsd?: number;
  system?: string;
  appendSystem?: string;
  /** More folders that it may work in. */
  directories: readonly string[];
  baseUrl?: string;
  /** Arguments that we know nothing about: `--agent-arg`. */
  extraArgs: readonly string[];
}

/** The limits that an agent can enforce by itself; we watch all of them anyway. */
type OwnLimit = 'turns' | 'cost';

/** How to start an agent once: data only, nothing is started. */
export interface Plan {
  args: readonly string[];
  /** Set for the child, on top of what is passed on. */
  env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed; undefined: stdin is empty. */
  stdin: string | undefined;
  ownLimits: readonly OwnLimit[];
  /** What was asked for and this agent (or this version of it) cannot do, as sentences for people. */
  unsupported: readonly string[];
  /** Why it cannot do this at all; if set, it is not started. */
  refused?: string | undefined;
}

/** What `runwire agents` prints about an agent. */
interface Abilities {
  model: boolean;
  resume: boolean;
  /** Which permission modes have flags or settings of their own. */
  permissionModes: readonly PermissionMode[];
  ownLimits: readonly OwnLimit[];
  /** How the prompt reaches it. */
  prompt: 'argument' | 'stdin';
}

/** How an agent is started so that it speaks ACP on its standard streams, and asks before it acts. */
interface AcpStart {
  readonly args: readonly string[];
  /** Words that name the model; unset: a client chooses it in the session. */
  readonly model?: (name: string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A folder in `variable`, or else under the home folder. */
export interface SessionFiles {
  readonly variable: string;
  readonly home: string;
  readonly folder: string;
}

/** One agent's command line: everything about how to start it, and nothing about how to read it. */
export interface AgentCli {
  readonly id: string;
  readonly title: string;
  /** Names to look for in PATH, in this order. */
  readonly binaries: readonly string[];
  /** The id of the dialect that the planned command line speaks. */
  readonly dialect: string;
  /** A command that installs it, for people. */
  readonly install: string;
  /** Arguments that make it print its version. */
  readonly versionArgs: readonly string[];
  /** Arguments that make it print the help of the command that is planned. */
  readonly helpArgs: readonly string[];
  /** The version that its command line was tried with; undefined: known only from its documentation. */
  readonly tested: string | undefined;
  /** The day on which that was last tried, or its documents were last read. */
  readonly knownAt: string;
  /** The version whose output was recorded by somebody, where it was not driven live. */
  readonly recorded?: string;
  /** Whether a program with its name and this version is this agent; unset: no other program has its name. */
  readonly isItsVersion?: (version: string) => boolean;
  /** Variables that it needs, on top of those that every child gets; `CODEX_*` is a prefix. */
  readonly passEnv: readonly string[];
  /** Variables, any of which may hold its key; its own login may do instead. */
  readonly keys: readonly string[];
  /** Variables that look like its key but are not, each with the one that is. */
  readonly notKeys?: Readonly<Record<string, string>>;
  /** Flags that work although its help does not show them. */
  readonly hiddenFlags?: readonly string[];
  /** Files and folders under the home folder that hold its own login, such as `.codex/auth.json`. */
  readonly logins: readonly string[];
  /** Without a key it waits for a login and prints nothing. */
  readonly waitsForLogin?: true;
  /**
   * Where it keeps its sessions, if its totals count a whole session or it does not print its model: in `variable`, or else under the
   * home folder, one file each, named after the id.
   */
  readonly sessionFiles?: SessionFiles;
  /** Where it keeps its sessions, as above, if they hold totals that it adds to after a resume; `type` is that of their lines. */
  readonly sessionTotals?: SessionFiles & { readonly type: string };
  /** When it reports its usage: a limit on cost or tokens can stop it only if that is while it runs. */
  readonly tellsUsage: 'while it runs' | 'at its end' | 'never';
  /** Its output does not say which model it uses; its session files do. */
  readonly hidesModel?: true;
  /** A limit on turns cannot stop it before its end either. */
  readonly tellsTurnsAtEnd?: true;
  /** Its session files, if they hold what its output does not. */
  readonly sessionStore?: SessionStore;
  readonly abilities: Abilities;
  /** How to start it as an ACP agent; unset: it does not speak ACP, as far as we know. */
  readonly acp?: AcpStart;
  /** `version` is what the installed program printed, without a leading v; undefined if it printed none. */
  plan(ask: Ask, version?: string): Plan;
  /**
   * How its requests are sent to another address, without touching the user's files; unset: no way is known. What a checkout says is
   * never asked: it must not decide where a key goes. Throws `NotPointed`; call it by `pointAgent`.
   */
  readonly point?: (ask: Ask, place: PointingPlace) => Promise<Pointing>;
}

/** How well an agent is known: it was run with Runwire, its true output was read, or only what is written about it. */
export function knowledgeOf({ tested, recorded, knownAt }: AgentCli): Knowledge {
  if (tested !== undefined) return { by: 'live', version: tested, at: knownAt };
  return recorded === undefined ? { by: 'documents', at: knownAt } : { by: 'files', version: recorded, at: knownAt };
}

export interface Knowledge {
  by: 'live' | 'files' | 'documents';
  version?: string;
  at: string;
}
