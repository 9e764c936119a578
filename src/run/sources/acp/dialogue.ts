import type { JsonObject } from '../../../json/json.ts';
import { filled, list, object } from '../../../json/read.ts';
import { timeInWords } from '../../../time/duration.ts';
import { Failure } from '../../../failure.ts';
import { type Peer, RpcError } from '../../../jsonrpc/peer.ts';
import { patient } from '../../../processes/patience.ts';
import { version } from '../../../version.ts';

const protocolVersion = 1;
const authRequired = -32000;
/** How long an agent may take for each step before the prompt: some index the whole repository first. */
const startMs = patient(120_000);

export interface DialogueAsk {
  prompt: string;
  cwd: string;
  directories: readonly string[];
  /** A session to resume. */
  resume: string | undefined;
  model: string | undefined;
  /** The program was started with that model: where the session offers no other, it has it. */
  isModelNamed: boolean;
  /** Everything is allowed, so it need not ask. */
  mayDoAll: boolean;
}

/** One run over ACP, from `initialize` to the answer to the prompt. The updates on the way are read elsewhere. */
export class Dialogue {
  readonly #peer: Peer;
  readonly #ask: DialogueAsk;
  /** The id of the session, as soon as there is one. */
  #session: string | undefined;
  #isPrompted = false;
  canResume = false;

  constructor(peer: Peer, ask: DialogueAsk) {
    this.#peer = peer;
    this.#ask = ask;
  }

  /** Rejects with a `Failure` when the agent cannot do this; the decoder reports the agent's own errors. */
  async run(): Promise<void> {
    try {
      const agent = await this.#start('initialize', {
        protocolVersion,
        // It handles files and commands itself, in its own process, which ends with the run.
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: 'runwire', title: 'Runwire', version },
      });
      if (agent.protocolVersion !== protocolVersion)
        throw new Failure(
          'config',
          `the agent speaks version ${JSON.stringify(agent.protocolVersion) ?? 'unknown'} of ACP, Runwire speaks 1`,
        );
      const session = await this.#open(agent);
      await this.#setMode(session);
      await this.#setModel(session);
      this.#isPrompted = true;
      await this.#peer.request('session/prompt', {
        sessionId: this.#session ?? '',
        prompt: [{ type: 'text', text: this.#ask.prompt }],
      });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    } finally {
      this.#isPrompted = false;
    }
  }

  /** Asks it to stop; false: there is nothing to stop yet. */
  cancel(): boolean {
    if (!this.#isPrompted || this.#session === undefined) return false;
    this.#peer.notify('session/cancel', { sessionId: this.#session });
    return true;
  }

  async #open(agent: JsonObject): Promise<JsonObject> {
    const { loadSession, sessionCapabilities } = object(agent.agentCapabilities);
    const { resume: resumes, additionalDirectories } = object(sessionCapabilities);
    const way =
      resumes !== undefined && resumes !== null ? 'session/resume' : loadSession === true ? 'session/load' : undefined;
    this.canResume = way !== undefined;
    const { cwd, directories, resume } = this.#ask;
    if (resume !== undefined && way === undefined)
      throw new Failure('input', `--resume ${resume}: the agent cannot resume a session`);
    const more = additionalDirectories && directories.length > 0 ? { additionalDirectories: [...directories] } : {};
    const place = { cwd, mcpServers: [], ...more };
    const session = await this.#authenticated(agent, () =>
      resume === undefined || way === undefined
        ? this.#start('session/new', place)
        : this.#start(way, { sessionId: resume, ...place }),
    );
    this.#session = filled(session.sessionId) ?? resume;
    if (this.#session === undefined)
      throw new Failure('config', 'the agent answered session/new without the id of a session');
    return session;
  }

  /** Tries a login that needs no person, once. */
  async #authenticated(agent: JsonObject, open: () => Promise<JsonObject>): Promise<JsonObject> {
    try {
      return await open();
    } catch (error) {
      const method = error instanceof RpcError && error.code === authRequired ? silentLogin(agent) : undefined;
      if (method === undefined) throw error;
      await this.#start('authenticate', { methodId: method });
      return open();
    }
  }

  /** Switches to the mode in which it asks: in others it decides by itself what it may do. */
  async #setMode(session: JsonObject): Promise<void> {
    const { currentModeId, availableModes } = object(session.modes);
    const asks = list(availableModes).some((each) => object(each).id === 'default');
    if (!asks || currentModeId === 'default' || this.#ask.mayDoAll) return;
    await this.#start('session/set_mode', { sessionId: this.#session ?? '', modeId: 'default' });
  }

  async #setModel(session: JsonObject): Promise<void> {
    const { model } = this.#ask;
    if (model === undefined) return;
    const sessionId = this.#session ?? '';
    const choices = list(session.configOptions)
      .map((each) => object(each))
      .filter((each) => each.category === 'model');
    const option = choices.find((each) => valuesOf(each).includes(model));
    if (option !== undefined) {
      await this.#start('session/set_config_option', { sessionId, configId: filled(option.id) ?? '', value: model });
      return;
    }
    const models = list(object(session.models).availableModels).flatMap((each) => filled(object(each).modelId) ?? []);
    const offered = [...choices.flatMap(valuesOf), ...models];
    if (offered.length === 0 && this.#ask.isModelNamed) return;
    if (!models.includes(model)) throw new Failure('config', `the agent has no model ${model}${someOf(offered)}`);
    await this.#start('session/set_model', { sessionId, modelId: model });
  }

  /** A request that must be answered in time. */
  async #start(method: string, params: JsonObject): Promise<JsonObject> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const failure = new Failure(
        'config',
        `the agent did not answer ${method} in ${timeInWords(startMs)}; does it speak ACP?`,
      );
      timer = setTimeout(() => reject(failure), startMs);
    });
    try {
      return await Promise.race([this.#peer.request(method, params), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** An API key in a variable is a login that needs no clicks. */
function silentLogin({ authMethods }: JsonObject): string | undefined {
  const silent = list(authMethods)
    .map((each) => object(each))
    .find(({ id, name, type }) => type !== 'terminal' && /api.?key/i.test(`${filled(id) ?? ''} ${filled(name) ?? ''}`));
  return silent === undefined ? undefined : filled(silent.id);
}

/** Options may be in groups. */
function valuesOf({ options }: JsonObject): string[] {
  return list(options).flatMap((each) => {
    const { value, options: group } = object(each);
    return [value, ...list(group).map((inner) => object(inner).value)].flatMap((one) => filled(one) ?? []);
  });
}

const mostNamed = 10;

function someOf(names: readonly string[]): string {
  if (names.length === 0) return ', or does not let its client choose one; name it on its own command line';
  return `; it has: ${names.slice(0, mostNamed).join(', ')}${names.length > mostNamed ? ', …' : ''}`;
}
