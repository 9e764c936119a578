import { commandOf, type Call } from '../facts/call.ts';
import type { Run, Step } from '../facts/facts.ts';
import type { Family } from '../facts/checks.ts';
import { type ClaimEvidence } from '../claim.ts';
import { cutLine } from '../runners/tally.ts';
import { byCall } from './kind.ts';

const longest = 120;

export function short(text: string, limit = longest): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return cutLine(line, limit);
}

/** A call in a few words. */
export function callText(call: Call): string {
  const command = commandOf(call);
  if (command !== undefined) return short(unwrapped(command));
  return call.name;
}

/** Without the shell that an agent puts around it. */
function unwrapped(command: string): string {
  return command.replace(/^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh -l?c (['"])([\s\S]*)\1$/, '$2');
}

export function ofRun(run: Run, family: Family): ClaimEvidence {
  const shown = run.shown[family];
  const code = run.step.code === undefined ? '' : `exit ${run.step.code}`;
  const line = shown?.line === undefined || shown.line === '' ? '' : `"${short(shown.line)}"`;
  const facts = [code, line].filter((each) => each !== '').join(', ');
  return byCall(
    run.call,
    `${short(callText(run.call))}${facts === '' ? (shown === undefined ? '' : `: ${shown.result === 'pass' ? 'passed' : shown.result === 'fail' ? 'failed' : 'no result'}`) : `: ${facts}`}`,
  );
}

export function ofStep(step: Step, remark?: string): ClaimEvidence {
  const end = step.isRefused
    ? 'denied'
    : step.isMissing
      ? 'not found'
      : step.isTimedOut
        ? 'timed out'
        : step.code === undefined
          ? step.exit === 'nonzero'
            ? 'failed'
            : ''
          : `exit ${step.code}`;
  const last = remark ?? step.lines.findLast((line) => line.trim() !== '') ?? '';
  const facts = [end, last.trim() === '' ? '' : `"${short(last)}"`].filter((each) => each !== '').join(', ');
  return byCall(step.call, `${callText(step.call)}${facts === '' ? '' : `: ${facts}`}`);
}
