import { quoteOf, whyOf } from '../claims/in-words.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { plain } from '../terminal/plain.ts';

interface Case {
  name: string;
  classname: string;
  seconds: number;
  /** Undefined: it passed. */
  problem?: { kind: 'failure' | 'error' | 'skipped'; type: string; message: string; detail: string };
  output?: string;
}

/** Classes of failure that are not the agent's fault. */
const errors: ReadonlySet<string> = new Set(['config', 'input', 'provider', 'cancelled']);
const outputShown = 20_000;

/** A run is a test case, and so is each rule about it; with several agents, each is a test case, and together they form a suite. */
export function junitXml(outcomes: readonly RunOutcome[]): string {
  const seconds = outcomes.reduce((sum, { metrics }) => sum + (metrics.duration_ms ?? 0) / 1000, 0);
  return suiteXml('runwire', outcomes.flatMap(casesOf), seconds);
}

function casesOf(outcome: RunOutcome): Case[] {
  const { metrics, metadata, verdict, message, error_details: error, expectations = [], lineage, provenance } = outcome;
  const task = metadata.initial_prompt.trim().split('\n', 1)[0]?.slice(0, 200) || 'run';
  const seconds = (metrics.duration_ms ?? 0) / 1000;
  const classname = `runwire.${provenance.agent ?? 'agent'}`;
  const detail = verdict.evidence.map((each) => `${each.signal}: ${each.detail}`).join('\n');
  const whole: Case = {
    name: task,
    classname,
    seconds,
    output: message.slice(0, outputShown),
    ...(verdict.class === 'success'
      ? {}
      : {
          problem: {
            kind: kindOf(verdict.class),
            type: verdict.class,
            message: error?.message ?? verdict.evidence[0]?.detail ?? '',
            detail,
          },
        }),
  };
  const rules = expectations.map(({ rule, passed, detail: found }): Case => {
    return {
      name: rule,
      classname: 'runwire.expect',
      seconds: 0,
      ...(passed ? {} : { problem: { kind: 'failure', type: 'expectation', message: found, detail: found } }),
    };
  });
  const agents = (lineage?.branches ?? [])
    .filter(({ agent, run_id: run }) => agent !== undefined && run !== undefined && lineage?.branches.length !== 1)
    .map(({ branch_id: id, agent = '', status = 'success', verified, remarks = '' }): Case => {
      const problem = status !== 'success' ? status : verified === 'failed' ? 'verify' : undefined;
      const summary = [status, verified === undefined ? '' : `verify ${verified}`, remarks].filter(Boolean).join(', ');
      return {
        name: `${agent} ${id}`,
        classname: `runwire.${agent}`,
        seconds: 0,
        ...(problem === undefined
          ? {}
          : { problem: { kind: kindOf(problem), type: problem, message: summary, detail: summary } }),
      };
    });
  const claims = (outcome.claims ?? []).map((claim): Case => {
    const kind = claim.verdict === 'contradicted' ? 'failure' : claim.verdict === 'not_shown' ? 'skipped' : undefined;
    const why = whyOf(claim);
    const reason = why === '' ? 'nothing in the run shows it' : why;
    return {
      name: quoteOf(claim),
      classname: `runwire.claims.${claim.kind}`,
      seconds: 0,
      ...(kind === undefined ? {} : { problem: { kind, type: claim.verdict, message: reason, detail: reason } }),
    };
  });
  return [whole, ...agents, ...rules, ...claims];
}

function kindOf(name: string): 'failure' | 'error' {
  return errors.has(name) ? 'error' : 'failure';
}

function suiteXml(name: string, cases: readonly Case[], seconds: number): string {
  const count = (kind: string): number => cases.filter(({ problem }) => problem?.kind === kind).length;
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" time="${seconds.toFixed(3)}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${attribute(name)}" ${counts}>
  <testsuite name="${attribute(name)}" ${counts} skipped="${count('skipped')}">
${cases.map(caseXml).join('')}  </testsuite>
</testsuites>
`;
}

function caseXml({ name, classname, seconds, problem, output }: Case): string {
  const head = `    <testcase name="${attribute(name)}" classname="${attribute(classname)}" time="${seconds.toFixed(3)}"`;
  const problemXml =
    problem === undefined
      ? ''
      : problem.kind === 'skipped'
        ? `      <skipped message="${attribute(problem.message)}"/>\n`
        : `      <${problem.kind} message="${attribute(problem.message)}" type="${attribute(problem.type)}">${content(problem.detail)}</${problem.kind}>\n`;
  const outputXml = output === undefined || output === '' ? '' : `      <system-out>${content(output)}</system-out>\n`;
  return problemXml === '' && outputXml === '' ? `${head}/>\n` : `${head}>\n${problemXml}${outputXml}    </testcase>\n`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML cannot represent some characters, not even escaped: `plain` spells out all of them but two. */
function content(text: string): string {
  return plain(text)
    .replace(/[&<>"]/g, (each) => entities[each] ?? '')
    .replace(/[\ufffe\uffff]/g, '\ufffd');
}

function attribute(text: string): string {
  return content(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}
