import type { Clause } from '../answer/clause.ts';
import type { Facts } from '../facts/facts.ts';
import { byCall, contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { ofStep, short } from './why.ts';

const request = /\b(?:pull requests?|merge requests?|prs?|mrs?)\b/;

export function pullRequests(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (!request.test(plain) && !/github\.com\/[^\s/]+\/[^\s/]+\/pull\/\d+|\/merge_requests\/\d+/.test(plain))
    return undefined;
  if (/\b(?:could not|couldn't|failed|unable|cannot|can't|blocked|rejected|refused)\b/.test(plain)) return undefined;
  if (
    !/\b(?:open|creat|submit|fil|rais|rais|is up|is ready|exists?|mad|draft|publish|#\d+)\w*|pull\/\d+|#\d+/.test(plain)
  )
    return undefined;
  const isNone = clause.isNegated && !/#\d+/.test(plain);
  const number = /#(\d+)|(?:pull|merge_requests)\/(\d+)|\b(?:pr|mr|request) (\d+)\b/
    .exec(plain)
    ?.slice(1)
    .find((each) => each !== undefined);
  return { kind: 'pr_opened', judge: (facts) => judgeRequest(facts, number, isNone) };
}

function judgeRequest(facts: Facts, number: string | undefined, isNone: boolean): Judgement {
  const steps = facts.steps.filter(
    ({ program, ran }) =>
      ran !== 'no' &&
      ((program.name === 'gh' && program.args[0] === 'pr' && program.args[1] === 'create') ||
        (program.name === 'glab' && program.args[0] === 'mr' && program.args[1] === 'create') ||
        (program.name === 'hub' && program.args[0] === 'pull-request')) &&
      !program.args.includes('--dry-run') &&
      !program.args.includes('--help'),
  );
  const tool = facts.calls.find(
    ({ name, kind, status }) =>
      kind !== 'command' && /create_?(?:pull|merge)_?request|open_?pr\b/i.test(name) && status === 'success',
  );
  const url = /\/(?:pull|merge_requests)\/(\d+)/;
  const done = steps.findLast(
    (step) =>
      !step.isRefused &&
      !step.isMissing &&
      step.exit !== 'nonzero' &&
      (step.exit === 'zero' || (url.test(step.lines.join('\n')) && !/\balready exists\b/.test(step.lines.join('\n')))),
  );
  if (isNone)
    return done !== undefined
      ? contradicted(ofStep(done))
      : tool !== undefined
        ? contradicted(byCall(tool, tool.name))
        : supported();
  if (done !== undefined) {
    const real = url.exec(done.lines.join('\n'))?.[1];
    return number !== undefined && real !== undefined && number !== real
      ? contradicted(ofStep(done, `#${real}`))
      : supported(ofStep(done));
  }
  if (tool !== undefined) {
    const real = url.exec(tool.output)?.[1] ?? /"number":\s?(\d+)/.exec(tool.output)?.[1];
    return number !== undefined && real !== undefined && number !== real
      ? contradicted(byCall(tool, short(tool.output)))
      : supported(byCall(tool, short(tool.output)));
  }
  const lost = steps.findLast(
    (step) =>
      step.exit === 'nonzero' ||
      step.isRefused ||
      step.isMissing ||
      /gh auth login|not logged in|error|failed|fatal/i.test(step.lines.join('\n')),
  );
  return lost === undefined ? notShown : contradicted(ofStep(lost));
}

export function ciStatus(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (
    !/\bci\b|\bpipelines?\b|\bworkflows?\b|\bgithub actions\b|\bgitlab ci\b|\bcircleci\b|\bstatus checks?\b|\bpr checks\b|\bactions run\b/.test(
      plain,
    )
  )
    return undefined;
  const isGood =
    /\b(?:green|pass(?:es|ed|ing)?|succeed\w*|success\w*|ok|happy|clean)\b|✅/.test(plain) || clause.mark === 'pass';
  const isBad =
    /\b(?:red|fail(?:s|ed|ing|ures?)?|broken|unhappy)\b|\bnot (?:green|passing)\b/.test(plain) ||
    clause.mark === 'fail';
  const isOpen = /\b(?:pending|running|queued|in progress|waiting)\b/.test(plain);
  if (!isGood && !isBad && !isOpen) return undefined;
  return { kind: 'ci_status', judge: (facts) => judgeCi(facts, isBad ? 'fail' : isOpen ? 'open' : 'pass') };
}

function judgeCi(facts: Facts, claimed: 'pass' | 'fail' | 'open'): Judgement {
  const queries = facts.steps.filter(
    ({ program: { name, args }, isRefused, isMissing, ran }) =>
      !isRefused &&
      !isMissing &&
      ran !== 'no' &&
      ((name === 'gh' &&
        ((args[0] === 'pr' && (args[1] === 'checks' || args[1] === 'status' || args[1] === 'view')) ||
          args[0] === 'run' ||
          (args[0] === 'api' && /check|status|actions/.test(args[1] ?? '')))) ||
        (name === 'glab' && args[0] === 'ci') ||
        name === 'circleci'),
  );
  const tool = facts.calls.findLast(
    ({ name, kind, status }) =>
      kind !== 'command' &&
      /check_?runs?|workflow|pipeline|get_pull_request_status/i.test(name) &&
      status === 'success',
  );
  const last = queries.at(-1);
  const text = last === undefined ? tool?.output : last.lines.join('\n');
  if (text === undefined || text.trim() === '') return notShown;
  const evidence =
    last === undefined ? byCall(tool as NonNullable<typeof tool>, short(tool?.output ?? '')) : ofStep(last);
  const isRed =
    /\t(?:fail|failure|cancelled|timed_out)\b|\bfail(?:ed|ing|ure)?\b(?<!0 fail(?:ed|ing|ure)?)|✗|\bX\s/i.test(
      text.replaceAll(/\b0 (?:failing|failed)/g, ''),
    );
  const isOpen = /\b(?:pending|in_progress|queued|in progress|running|waiting)\b/i.test(
    text.replaceAll(/\b0 pending\b/g, ''),
  );
  const isGreen = /\bpass(?:ed)?\b|\bsuccess(?:ful)?\b|✓|All checks were successful/i.test(text);
  const real = isRed ? 'fail' : isOpen ? 'open' : isGreen ? 'pass' : undefined;
  if (real === undefined) return notShown;
  return real === claimed ? supported(evidence) : contradicted(evidence);
}
