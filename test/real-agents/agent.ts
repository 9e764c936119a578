import type { VerdictClass } from '../../src/failure.ts';
import type { FormatId, TurnInput } from '../support/model-server/index.ts';
import type { CrewScenarioName } from './crew-scenarios.ts';
import type { ScenarioName } from './scenarios.ts';

type Call = NonNullable<TurnInput['calls']>[number];

/** The tools that every agent has in some form, as the model calls them. Paths are absolute. */
export interface Hands {
  shell(command: string): Call;
  read(path: string): Call;
  write(path: string, content: string): Call;
  edit(path: string, before: string, after: string): Call;
}

/** Where one run takes place. */
export interface Place {
  /** The model server, without a path. */
  url: string;
  work: string;
  /** A file that a command makes to tell that it runs. */
  started: string;
}

export const key = 'sk-rig-00000000000000000000';

/** What the model says to an agent that asks for notes of its own, after its answer. */
export const noNotes = 'Nothing to note.';

/** A real agent, and how it is told to talk to our model and to nobody else. */
export interface RealAgent {
  /** The name `runwire run --agent` knows it by. */
  id: string;
  /** With `version`, what is installed; absent: it is not ours to install, and is taken where the user has it. */
  package?: string;
  version?: string;
  /** A file of the package that must be run once, because scripts are switched off when it is installed. */
  afterInstall?: string;
  /** Too big or too slow for CI. */
  onDemand?: true;
  format: FormatId;
  /** Flags of `runwire run` that this agent needs in every scenario. */
  flags?: readonly string[];
  /** Files of the home folder. */
  home(place: Place): Record<string, string>;
  env(place: Place): Record<string, string>;
  /** Why its runs cannot be compared when they go through the wire. */
  notWired?: string;
  /** After its answer it asks once more, for notes of its own. */
  takesNotes?: true;
  /** Its key is in a file of its home folder, which it reads itself. */
  keyInFile?: true;
  /** Variables that no plan can know of: they are passed with `--env`. */
  pass?: readonly string[];
  hands: Hands;
  /** The name the model called a tool by → the name the agent prints. */
  toolNames?: Readonly<Record<string, string | null>>;
  /** Prints no count of reasoning tokens. */
  noReasoningTokens?: true;
  /** Prints no count of cached tokens. */
  noCachedTokens?: true;
  /** Prints no counts of tokens at all. */
  tellsNoTokens?: true;
  /** Prints its answer alone, not what it did. */
  tellsNoCalls?: true;
  /** Scenarios that this agent has no way to go through; each says why. */
  cannot?: Partial<Record<ScenarioName | CrewScenarioName, string>>;
  /** Where this agent tells less, or ends otherwise, than the scenario's table says. */
  differs?: Partial<Record<ScenarioName, Difference>>;
}

/** What is true of one agent in one scenario, and why it is not what the others do. */
export interface Difference {
  why: string;
  is?: VerdictClass;
  exit?: number;
  /** Name and status of each call, sorted. */
  tools?: readonly string[];
  /** false: this agent prints no count here. */
  tokens?: { input: number; output: number } | false;
  artifacts?: readonly string[];
}
