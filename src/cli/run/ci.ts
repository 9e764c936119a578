import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { messageOf } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { exitOf, startTalking } from '../../processes/child.ts';
import { checkoutsAround, trustedProgram } from '../../processes/trusted.ts';
import { annotations, workflowCommand } from '../../reports/github.ts';
import { reportMarkdown } from '../../reports/report-md.ts';
import { stepOutputs } from '../../reports/step-outputs.ts';
import { Story } from '../../reports/story.ts';
import type { Sink } from '../../run/sinks/sink.ts';
import type { Context } from '../context.ts';
import type { CiName } from './document-flags.ts';

/** GitHub does not show a summary larger than 1 MiB at all, and Buildkite accepts no larger annotation. */
const mostBytes = 1_000_000;
const leastBytes = 20_000;
const annotateMs = 20_000;

/** Reports a run to its CI system: a folded log while it runs, and at the end whatever that CI system has a place for. */
export class Ci {
  readonly #name: CiName;
  readonly #context: Context;
  readonly #story = new Story();
  readonly #token = randomUUID();
  readonly #section = `runwire_${randomUUID().slice(0, 8)}`;
  readonly sink: Sink = { record: (record) => this.#story.record(record) };
  #isOpen = false;

  constructor(name: CiName, context: Context) {
    this.#name = name;
    this.#context = context;
  }

  /** Before the first line of the run. */
  begin(): void {
    const { draw, now } = this.#context;
    this.#isOpen = true;
    if (this.#name === 'buildkite') return draw('--- runwire\n');
    if (this.#name === 'gitlab')
      return draw(`section_start:${Math.floor(now() / 1000)}:${this.#section}[collapsed=true]\r\u001b[0Krunwire\n`);
    // Until the runner sees this token again, nothing that an agent prints is a command to it.
    draw(`${workflowCommand('group', 'runwire')}${workflowCommand('stop-commands', this.#token)}`);
  }

  /** After the last line of the run, on stdout too. Also called without `tell`: a run that threw has no outcome. */
  end(): void {
    const { draw, now } = this.#context;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#name === 'gitlab') draw(`section_end:${Math.floor(now() / 1000)}:${this.#section}\r\u001b[0K\n`);
    else if (this.#name === 'github') draw(`${workflowCommand(this.#token, '')}${workflowCommand('endgroup', '')}`);
  }

  async tell(outcome: RunOutcome, outcomeFile: string | undefined): Promise<void> {
    this.end();
    const { draw, env } = this.#context;
    if (this.#name === 'github') {
      draw(annotations(outcome, env['GITHUB_WORKSPACE'] ?? ''));
      this.#append('GITHUB_STEP_SUMMARY', (room) =>
        room < leastBytes ? '' : `${reportMarkdown(outcome, this.#story, room)}\n`,
      );
      this.#append('GITHUB_OUTPUT', () => stepOutputs(outcome, outcomeFile, () => `runwire_${randomUUID()}`));
    } else if (this.#name === 'buildkite') {
      if (outcome.status !== 'success') draw(`+++ runwire: ${outcome.verdict.class}\n`);
      await annotate(
        reportMarkdown(outcome, this.#story, mostBytes),
        outcome.status === 'success' ? 'success' : 'error',
        this.#context,
      );
    }
  }

  #append(variable: string, textIn: (room: number) => string): void {
    const path = this.#context.env[variable];
    if (path === undefined || path === '') return;
    try {
      appendFileSync(path, textIn(mostBytes - (statSync(path, { throwIfNoEntry: false })?.size ?? 0)), { mode: 0o600 });
    } catch (error) {
      this.#context.warn(`runwire: warning: ${variable} cannot be written: ${messageOf(error)}`);
    }
  }
}

/** Where the outcome goes by default on GitHub, whose step outputs name the file. */
export function usualOutcomeFile(name: CiName | undefined, { env }: Context): string | undefined {
  const folder = env['RUNNER_TEMP'];
  return name !== 'github' || folder === undefined || folder === ''
    ? undefined
    : join(folder, `runwire-outcome-${randomUUID()}.json`);
}

/** If the Buildkite agent rejects the annotation, or is only there as a program of the checkout, the run has not failed. */
async function annotate(markdown: string, style: string, { env, cwd }: Context): Promise<void> {
  const command = trustedProgram('buildkite-agent', env, checkoutsAround(cwd, env));
  if (command === undefined) return;
  const args = ['annotate', '--style', style, '--context', 'runwire'];
  const { child, end } = startTalking({ command, args, env });
  const timer = setTimeout(() => void end(0), annotateMs);
  child.stdin.on('error', () => {});
  // Its own output does not belong to the run.
  child.stdout.resume();
  child.stderr.resume();
  child.stdin.end(markdown);
  await exitOf(child).catch(() => {});
  clearTimeout(timer);
  await end(0);
}
