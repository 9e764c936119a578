import type { RunSpec } from '../../contract/spec.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { present } from '../../json/present.ts';
import type { Redactor } from '../../redact/redactor.ts';
import { type Clean, cleanJson } from '../../wire/recording/clean.ts';
import { Recorder } from '../../wire/recording/recorder.ts';
import { RecordingWriter } from '../../wire/recording/recording.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { filesBetween, filesSince, stateOf } from '../../workspace/file-states.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { gitPlace } from '../git.ts';

interface Around {
  redact: Redactor | undefined;
  /** The private copy, once there is one. */
  workspace: () => Workspace | undefined;
}

/** What was checked out when the run began. */
interface Start {
  commit?: string | undefined;
  branch?: string;
  dirty?: number;
}

/** The recording of one run: what passes over its wire, what it started from and what it came to. All of it goes on the tape, so that it is kept, moved and removed as the run itself is. */
export class WireRecording {
  readonly recorder: Recorder;
  readonly #spec: RunSpec;
  readonly #env: Environment;
  readonly #start: Start;
  readonly #around: Around;
  #tell: (line: JsonObject) => void = () => {};

  private constructor(spec: RunSpec, env: Environment, start: Start, around: Around) {
    this.#spec = spec;
    this.#env = env;
    this.#start = start;
    this.#around = around;
    this.recorder = new Recorder(() => this.#open(), Date.now);
  }

  static async of(spec: RunSpec, env: Environment, around: Around): Promise<WireRecording> {
    // In a copy, this is known of the copy itself.
    const start = spec.workspace === undefined ? await startOf(spec.cwd, env) : {};
    return new WireRecording(spec, env, start, around);
  }

  /** Who receives the lines of the recording: where one agent goes on for another, another listener. */
  tellTo(tell: (line: JsonObject) => void): void {
    this.#tell = tell;
  }

  /** The agent has ended. */
  async keepFiles(): Promise<void> {
    const workspace = this.#around.workspace();
    const { commit, dirty = 0 } = this.#start;
    try {
      if (workspace !== undefined) {
        const { kept, base, repository } = workspace;
        if (kept !== undefined) this.recorder.files(await filesBetween(repository.git, base.commit, kept.commit));
      } else if (commit !== undefined && dirty === 0)
        this.recorder.files(await filesSince(this.#spec.cwd, this.#env, commit));
    } catch {
      // The recording is of use without them.
    }
  }

  #open(): RecordingWriter {
    const { redact, workspace } = this.#around;
    const clean: Clean = (text) => redact?.text(text) ?? text;
    const spec = cleanJson(JSON.parse(JSON.stringify(this.#spec)) as Json, clean) as JsonObject;
    const copy = workspace();
    const start = copy === undefined ? this.#start : { commit: copy.base.commit, branch: copy.branch };
    const home = this.#env['HOME'];
    const head = { agent: this.#spec.agent, cwd: copy?.cwd ?? this.#spec.cwd, spec, ...present({ home, ...start }) };
    return new RecordingWriter(head, clean, (line) => this.#tell(line));
  }
}

/** Where git cannot be asked, what its files say. */
async function startOf(folder: string, env: Environment): Promise<Start> {
  try {
    return await stateOf(folder, env);
  } catch {
    const { commit, branch } = gitPlace(folder);
    return commit === '' ? {} : { commit, branch };
  }
}
