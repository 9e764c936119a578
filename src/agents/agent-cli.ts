import type { PermissionMode } from '../vocabulary.ts';
import type { SessionStore } from './session-meter.ts';

/** What a user may ask of any agent. A plan turns it into the words of one command line. */
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
  /** Words for its command line that we know nothing of: `--agent-arg`. */
  extraArgs: readonly string[];
}

/** The limits that an agent keeps by itself when it is told to; we watch all of them anyway. */
type OwnLimit = 'turns' | 'cost';

/** How to start an agent once: data only, nothing is started. */
export interface Plan {
  args: readonly string[];
  /** Set for the child, on top of what is passed on. */
  env: Readonly<Record<string, string>>;
  /** Fed to stdin, which then ends; undefined: stdin is empty from the start. */
  stdin: string | undefined;
  ownLimits: readonly OwnLimit[];
  /** What was asked for and this agent (or this version of it) cannot do, as sentences for people. */
  unsupported: readonly string[];
  /** Why it cannot do this at all: it is not started then. */
  refused?: string | undefined;
}

/** What `runwire agents` tells of an agent. */
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
  readonly env?: Readonly<Record<string, string>>;
}

/** One agent's command line: everything we know of how to start it, and nothing of how to read it. */
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
  /** Arguments that make it print the help of the very command that is planned. */
  readonly helpArgs: readonly string[];
  /** The version that its command line was tried with; undefined: known from its documents alone. */
  readonly tested: string | undefined;
  /** Whether a program of such a name, with this version, is this agent; unset: nothing else has its name. */
  readonly isItsVersion?: (version: string) => boolean;
  /** Variables that it needs, on top of those that every child gets; `CODEX_*` is a prefix. */
  readonly passEnv: readonly string[];
  /** Any of these variables gives it a key; a login of its own may do as well. */
  readonly keys: readonly string[];
  /** Variables that look like a key for it and are not, with the one that is. */
  readonly notKeys?: Readonly<Record<string, string>>;
  /** Flags that work and that its help does not show. */
  readonly hiddenFlags?: readonly string[];
  /** Files and folders under the home folder that hold a login of its own, such as `.codex/auth.json`. */
  readonly logins: readonly string[];
  /** Where it keeps its sessions, when its totals count a whole session: in `variable`, else under the home folder, one file each, named after the id. */
  readonly sessionFiles?: { readonly variable: string; readonly home: string; readonly folder: string };
  /** When it tells what it used: a limit of cost or tokens can stop it only while it runs. */
  readonly tellsUsage: 'while it runs' | 'at its end' | 'never';
  /** Nor can a limit of turns stop it before. */
  readonly tellsTurnsAtEnd?: true;
  /** Its session files, where they tell what it does not tell itself. */
  readonly sessionStore?: SessionStore;
  readonly abilities: Abilities;
  /** How to start it as an agent of ACP; unset: it is none, as far as we know. */
  readonly acp?: AcpStart;
  /** `version` is what the installed one printed, without a leading v; undefined when it did not say. */
  plan(ask: Ask, version?: string): Plan;
}
