import type { Clause } from '../answer/clause.ts';
import type { Facts, Step } from '../facts/facts.ts';
import { gitActs } from './git.ts';
import { contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { ofStep } from './why.ts';

const free =
  /\b(?:no|zero|0|without(?: any)?|free of|not a single) (?:\w+ ){0,2}?(warnings?|errors?|conflicts?|vulnerabilit(?:y|ies)|deprecations?|deprecation warnings?|exceptions?|stack traces?)\b/;

/** No warnings, no errors, no conflicts: of the command that is named, or of merges and audits. */
export function noErrors(clause: Clause): Found | undefined {
  const { plain } = clause;
  const what = free.exec(plain)?.[1];
  if (what === undefined || /\b(?:fix|handle|throw|raise|return|when|if)\w*\b/.test(plain)) return undefined;
  return { kind: 'no_errors', judge: (facts) => judge(facts, what, clause) };
}

function judge(facts: Facts, what: string, { codes, plain }: Clause): Judgement {
  if (/conflict/.test(what)) {
    const acts = gitActs(facts, 'merge', 'rebase', 'pull', 'cherry-pick', 'stash', 'revert');
    const last = /\b(?:left|remain\w*|now)\b/.test(plain)
      ? acts.at(-1)
      : (acts.findLast(({ text }) => /CONFLICT/.test(text)) ?? acts.at(-1));
    if (last === undefined) return notShown;
    return /CONFLICT|conflict/.test(last.text) || last.done === 'no'
      ? contradicted(ofStep(last.step))
      : supported(ofStep(last.step));
  }
  if (/vulnerab/.test(what)) {
    const step = facts.steps.findLast(
      ({ program: { name, args }, lines }) =>
        args.includes('audit') ||
        /^(?:pip-audit|cargo-audit|safety|snyk|trivy|govulncheck|bundler-audit)$/.test(name) ||
        (lines.some((line) => /\bvulnerabilit/.test(line)) && /^(?:npm|pnpm|yarn|pip|cargo|composer)$/.test(name)),
    );
    if (step === undefined || step.isRefused || step.isMissing) return notShown;
    const text = step.lines.join('\n');
    if (
      /\bfound 0 vulnerabilities|\bno (?:known )?vulnerabilities|\b0 vulnerabilities|No vulnerabilities found/i.test(
        text,
      )
    )
      return supported(ofStep(step));
    return /\b[1-9]\d* (?:\w+ ){0,3}vulnerabilit|severity/i.test(text) ? contradicted(ofStep(step)) : notShown;
  }
  const named = facts.steps.filter((step) =>
    codes.some((code) => code.split(' ').every((word) => [step.program.name, ...step.program.args].includes(word))),
  );
  const last = named.at(-1) ?? (/\b(?:console|browser)\b/.test(plain) ? undefined : lastOf(facts, plain));
  if (last === undefined || last.isRefused || last.isMissing) return notShown;
  const bad = last.lines.find((line) =>
    (/warning/.test(what)
      ? /\b[1-9]\d* warnings?\b|^\W{0,4}warn(?:ing)?\b[:\s]|\bwarning:/i
      : /deprecat/.test(what)
        ? /deprecat/i
        : /\b[1-9]\d* errors?\b|^\W{0,4}error\b[:\s]|\berror:/i
    ).test(line),
  );
  if (bad !== undefined) return contradicted(ofStep(last, bad));
  return last.exit === 'zero' ? supported(ofStep(last)) : notShown;
}

/** The build, the tests, the log: what the clause speaks of. */
function lastOf(facts: Facts, plain: string): Step | undefined {
  const family = /\bbuild|compil/.test(plain)
    ? 'build'
    : /\btests?\b/.test(plain)
      ? 'tests'
      : /\blint/.test(plain)
        ? 'lint'
        : undefined;
  return family === undefined
    ? undefined
    : facts.runs.findLast((run) => !run.isVoid && run.check.families.includes(family) && run.version === facts.version)
        ?.step;
}
