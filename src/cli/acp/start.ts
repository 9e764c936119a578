import { AcpAgent } from '../../acp/agent.ts';
import { childEnvironment } from '../../agents/environment.ts';
import { Failure } from '../../failure.ts';
import { Lines } from '../../jsonrpc/lines.ts';
import { parseLine } from '../../jsonrpc/peer.ts';
import { present } from '../../json/present.ts';
import { patient } from '../../processes/patience.ts';
import { start } from '../../run/run.ts';
import { Outlet } from '../../run/sinks/outlet.ts';
import type { Sink } from '../../run/sinks/sink.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { acpAgent, builtIn, type PermissionMode, permissionModes } from '../../words/vocabulary.ts';
import type { Context } from '../context.ts';
import { isFolder } from '../is-folder.ts';
import { readFlags } from '../run/flags.ts';
import type { RunValues } from '../run/options.ts';
import { recordingOf } from '../run/recording.ts';
import { readInputs, specOfFlags } from '../run/settings.ts';
import { telemetryOf } from '../run/telemetry.ts';
import { rememberSession, sessionLabel } from './memory.ts';

/** How long a question to a person may stay open, unless a flag says otherwise. */
const patienceMs = 24 * 60 * 60 * 1000;

/** How much a client may leave unread before it is given up. */
const mostUnread = 64 * 1024 * 1024;
/** How long a client that has closed its side may take to read the last messages. */
const lastWordsMs = patient(5000);

/** Serves one client on stdin and stdout, until it disconnects. */
export async function serveAcp(
  values: RunValues,
  command: readonly string[] | undefined,
  context: Context,
): Promise<number> {
  const flags = readFlags(values, []);
  const spec = specOfFlags(flags, { ...(await readInputs(flags, context)), prompt: '', command }, context);
  if (spec.agent !== acpAgent && spec.command !== undefined)
    throw new Failure('input', 'a COMMAND after -- must speak ACP: add --agent acp');
  const { modes, canResume, title } = await abilitiesOf(spec);
  const recording = recordingOf(flags, context);
  context.hideEnvironment(new Set(Object.keys(childEnvironment(context.env, { pass: [], set: {} }))));
  const warn = (sentence: string): void => context.warn(`runwire: ${sentence}`);
  const telemetry = await telemetryOf(flags.otel, context, warn);
  const gone = Promise.withResolvers<void>();
  const outlet = new Outlet(context.print, () => gone.resolve());
  /** Of each run that is going on. */
  const keeps = new Set<() => void>();
  outlet.showAfter(() => keeps.forEach((keep) => keep()));
  let isUnread = false;
  const giveUp = (): void => {
    isUnread = true;
    outlet.giveUp();
    gone.resolve();
  };
  const agent = new AcpAgent({
    title,
    modes,
    mode: spec.permission_mode ?? modes.find((mode) => mode === 'edit') ?? modes[0] ?? 'edit',
    canResume,
    checkFolder(path) {
      if (!isFolder(path)) throw new Failure('input', `there is no folder ${path}`);
    },
    start({ sessionId, prompt, cwd, directories, mode, resume }, sink, ask) {
      const prompted: RunSpec = {
        ...spec,
        prompt,
        cwd,
        directories: [...spec.directories, ...directories],
        labels: { ...spec.labels, [sessionLabel]: sessionId },
        limits: { permission_timeout_ms: patienceMs, ...spec.limits },
        ...(modes.length === 0 ? {} : { permission_mode: mode }),
        ...present({ resume }),
      };
      let keep = (): void => {};
      const showing: Sink = { showAfter: (given) => void keeps.add((keep = given)) };
      const run = start(prompted, {
        env: context.env,
        variables: flags.extraEnv.set,
        sinks: async () => [sink, showing],
        ...recording,
        telemetry,
        keepsRecords: false,
        clock: context.now,
        warn,
        ask,
      });
      const forget = (): void => void keeps.delete(keep);
      run.outcome.then(forget, forget);
      return run;
    },
    remember: (sessionId) => rememberSession(recording.ledger, context.env, sessionId),
    send(message) {
      outlet.write(`${JSON.stringify(message)}\n`);
      if (outlet.unread <= mostUnread || isUnread) return;
      warn('the client does not read its messages: disconnecting from it');
      giveUp();
    },
    ready: () => outlet.ready(),
    warn,
  });
  const release = context.onSignal(() => gone.resolve());
  try {
    await Promise.race([hear(agent, context, warn), gone.promise]);
  } finally {
    const late = setTimeout(giveUp, lastWordsMs);
    await agent.close();
    await outlet.close();
    clearTimeout(late);
    release();
    context.leaveSoon(isUnread);
  }
  if (outlet.problem !== undefined) throw outlet.problem;
  return 0;
}

/** Settles when the client has sent its last message. */
async function hear({ peer }: AcpAgent, { stdin }: Context, warn: (sentence: string) => void): Promise<void> {
  const lines = new Lines(
    (line) => peer.receive(parseLine(line)),
    () => warn('the client sent a message that is too long: it was ignored'),
  );
  for await (const chunk of stdin) lines.push(chunk);
}

interface Served {
  title: string;
  modes: readonly PermissionMode[];
  canResume: boolean;
}

async function abilitiesOf({ agent, command }: RunSpec): Promise<Served> {
  if (agent === builtIn) return { title: 'the built-in agent', modes: permissionModes, canResume: true };
  if (agent === acpAgent) return { title: command?.[0] ?? agent, modes: permissionModes, canResume: true };
  const { findAgent } = await import('../../agents/registry.ts');
  const { title, abilities } = findAgent(agent);
  return { title, modes: abilities.permissionModes, canResume: abilities.resume };
}
