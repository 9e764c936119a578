import { randomUUID } from 'node:crypto';
import type { Draft, ErrorCode } from '../events/event.ts';
import { Failure } from '../failure.ts';
import { version } from '../version.ts';
import type { AgentOptions, RunAgent } from './agent.ts';
import type { OpenToolbox } from './tools/toolbox.ts';

export type Claim = Omit<Extract<Draft, { type: 'agent.finished' }>, 'type'>;

/** The built-in agent with these tools. */
export function agentWith(openToolbox: OpenToolbox): RunAgent {
  return async (options, emit) => {
    const startedAt = performance.now();
    const sessionId = options.resume ?? randomUUID();
    emit({
      type: 'thread.started',
      task: options.prompt,
      agent: 'runwire',
      agent_version: version,
      model: options.model,
      session_id: sessionId,
      cwd: options.cwd,
      project_name: options.projectName ?? '',
      parent_branch_id: options.parentBranchId ?? '',
      headless: true,
    });
    emit({ type: 'prompt.submitted', text: options.prompt });
    const claim = await runOrExplain(options, sessionId, openToolbox, emit);
    emit({ type: 'agent.finished', ...claim, duration_ms: Math.round(performance.now() - startedAt) });
  };
}

/** The built-in agent. */
export const runAgent: RunAgent = agentWith(async (options) => (await import('./tools/open-toolbox.ts')).openBuiltinToolbox(options));

async function runOrExplain(
  options: AgentOptions,
  sessionId: string,
  openToolbox: OpenToolbox,
  emit: (draft: Draft) => void,
): Promise<Claim> {
  try {
    // Who listens hears of the start before the SDK is loaded, which takes a while.
    const { run } = await import('./run.ts');
    return await run(options, { sessionId, openToolbox, emit });
  } catch (error) {
    if (options.signal.aborted) return cancelledBy(options.signal);
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof Failure ? codeOf(error) : 'unknown';
    emit({
      type: 'error',
      scope: code === 'config' ? 'config' : 'agent',
      code,
      message,
      retryable: false,
      fatal: true,
      ...(error instanceof Error && code === 'unknown'
        ? { name: error.name, ...(error.stack === undefined ? {} : { stack: error.stack }) }
        : {}),
    });
    return { status: 'failed', code, message };
  }
}

function codeOf({ code }: Failure): ErrorCode {
  return code === 'provider' || code === 'incomplete' ? 'unknown' : code;
}

export function cancelledBy({ reason }: AbortSignal): Claim {
  const why =
    reason instanceof Error ? (reason.name === 'AbortError' ? undefined : reason.message) : typeof reason === 'string' ? reason : undefined;
  return { status: 'cancelled', code: 'cancelled', message: why === undefined ? 'the run was cancelled' : `the run was cancelled: ${why}` };
}
