import type { Clause } from '../answer/clause.ts';
import type { Facts, Step } from '../facts/facts.ts';
import { contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { ofStep } from './why.ts';

/** A program of the agent's own or a test, before the first change of existing code. */
function beforeFix(facts: Facts): Step[] {
  const fix = facts.writes.find(
    ({ done, operation, path }) =>
      done !== 'no' &&
      operation !== 'created' &&
      operation !== 'restored' &&
      !/\.(?:md|txt|rst)$/.test(path) &&
      !/(?:^|\/)\.?(?:repro|scratch)/.test(path),
  );
  const end = fix?.order ?? Number.POSITIVE_INFINITY;
  return facts.steps.filter(
    (step) =>
      step.order < end &&
      !step.isRefused &&
      !step.isMissing &&
      step.ran !== 'no' &&
      (step.check?.families.includes('tests') === true ||
        /^(?:python|node|ruby|php|perl|bun|deno|tsx|ts-node|lua|java|go|cargo|elixir|julia|curl)$/.test(
          step.program.name,
        ) ||
        /repro|^\.\//.test(step.program.name)) &&
      step.check?.isDry !== true &&
      !(step.program.name === 'go' && !/^(?:run|test)$/.test(step.program.args[0] ?? '')) &&
      !(step.program.name === 'cargo' && !/^(?:run|test|nextest)$/.test(step.program.args[0] ?? '')),
  );
}

function isBug(facts: Facts, step: Step): boolean {
  const run = facts.runs.find((each) => each.step === step);
  if (run?.shown.tests !== undefined) return run.shown.tests.result === 'fail';
  if (step.exit === 'nonzero') return true;
  return (
    step.exit !== 'zero' &&
    /\b(?:Traceback|AssertionError|Error:|panic|FAIL|Exception|assert)/.test(step.lines.join('\n'))
  );
}

export function judgeUnreproduced(facts: Facts): Judgement {
  const steps = beforeFix(facts);
  const bug = steps.find((step) => isBug(facts, step));
  if (bug !== undefined) return contradicted(ofStep(bug));
  const clean = steps.findLast((step) => step.exit === 'zero');
  return clean === undefined ? notShown : supported(ofStep(clean));
}

export function reproductions(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (
    !/\breproduc(?:ed|es|e|ible|tion)\b|\b(?:saw|seen|observed|confirmed|verified) the (?:bug|failure|problem|error|crash|issue)\b|\b(?:bug|failure|problem|error|crash|issue) (?:was |is |has been |could be )?(?:confirmed|reproduced|verified|seen)\b/.test(
      plain,
    )
  )
    return undefined;
  if (/\breproduction (?:steps|script|case)\b/.test(plain) && !/\breproduced\b/.test(plain)) return undefined;
  if (clause.isNegated) return { kind: 'could_not', judge: (facts) => judgeUnreproduced(facts) };
  const numbers = clause.numbers.filter((number) => number > 1);
  return {
    kind: 'reproduced',
    isWhole: true,
    judge(facts) {
      const steps = beforeFix(facts);
      const bugs = steps.filter((step) => isBug(facts, step));
      const bug =
        bugs.find((step) =>
          numbers.some((number) => step.lines.some((line) => new RegExp(`(?<!\\d)${number}(?!\\d)`).test(line))),
        ) ?? bugs[0];
      if (bug !== undefined) return supported(ofStep(bug));
      const clean = steps.findLast(
        (step) =>
          step.exit === 'zero' &&
          (step.check === undefined || /repro/.test([step.program.name, ...step.program.args].join(' '))),
      );
      return clean === undefined ? notShown : contradicted(ofStep(clean));
    },
  };
}
