import { type AcpProgram, acpProgram, locateAcp } from '../../../agents/acp-program.ts';
import type { Check } from '../../../agents/checkup.ts';
import { childEnvironment } from '../../../agents/environment.ts';
import { timeInWords } from '../../../time/duration.ts';
import { Failure, messageOf } from '../../../failure.ts';
import { Lines } from '../../../jsonrpc/lines.ts';
import { parseLine, Peer } from '../../../jsonrpc/peer.ts';
import { patient } from '../../../processes/patience.ts';
import { supervise } from '../../../processes/supervise.ts';
import { version } from '../../../version.ts';
import type { Environment } from '../../../words/vocabulary.ts';

const greetingMs = patient(20_000);

/** Checks the program and the ACP handshake; no session is opened, no model is called. */
export async function checkAcp(
  words: readonly string[],
  env: Environment,
  cwd: string,
): Promise<{ title: string; checks: Check[] }> {
  const program = acpProgram(words);
  let path: string;
  try {
    path = await locateAcp(program, env);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { title: program.title, checks: [{ what: 'program', status: 'wrong', detail: error.message }] };
  }
  const found: Check = { what: 'program', status: 'ok', detail: path };
  return { title: program.title, checks: [found, await greet(program, path, env, cwd)] };
}

async function greet({ args, known }: AcpProgram, command: string, env: Environment, cwd: string): Promise<Check> {
  const wrong = (detail: string): Check => ({ what: 'ACP', status: 'wrong', detail });
  let send = (_text: string): void => {};
  const peer = new Peer((message) => send(`${JSON.stringify(message)}\n`), {
    request: () => Promise.reject(new Error('nothing is offered before a session')),
    notification: () => {},
  });
  const lines = new Lines(
    (line) => peer.receive(parseLine(line)),
    () => {},
  );
  const child = await supervise({
    command,
    args,
    cwd,
    env: childEnvironment(env, { pass: known?.passEnv ?? [], set: known?.acp?.env ?? {} }),
    stdin: undefined,
    talks: true,
    onStdout: (chunk) => lines.push(chunk),
    onStderr: () => {},
  });
  send = (text) => void child.send(text);
  void child.ended.then(({ exit_code, signal }) =>
    peer.close(new Error(`it ended with ${signal ?? exit_code} before it answered`)),
  );
  const late = setTimeout(
    () => peer.close(new Error(`it did not answer in ${timeInWords(greetingMs)}; does it speak ACP?`)),
    greetingMs,
  );
  try {
    const answer = await peer.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'runwire', title: 'Runwire', version },
    });
    if (answer.protocolVersion !== 1)
      return wrong(`it speaks version ${JSON.stringify(answer.protocolVersion) ?? 'unknown'}, Runwire speaks 1`);
    return { what: 'ACP', status: 'ok', detail: 'version 1' };
  } catch (error) {
    return wrong(messageOf(error));
  } finally {
    clearTimeout(late);
    child.hangUp();
    child.stop('SIGTERM');
    await child.ended;
  }
}
