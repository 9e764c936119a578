import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Claim } from '../../src/claims/claim.ts';
import type { AgentEvent, EventRecord } from '../../src/events/event.ts';
import { Expectations } from '../../src/expect/expectations.ts';
import { parseRule } from '../../src/expect/words.ts';
import type { FoldOptions } from '../../src/outcome/fold.ts';
import { RunOutcome } from '../../src/outcome/outcome.ts';
import { annotations } from '../../src/reports/github.ts';
import { junitXml } from '../../src/reports/junit.ts';
import { claimLines } from '../../src/reports/outcome-text.ts';
import { reportMarkdown } from '../../src/reports/report-md.ts';
import { Story } from '../../src/reports/story.ts';

let claims: Claim[] = [];
vi.mock('../../src/claims/check-claims.ts', () => ({ checkClaims: () => claims }));
// Another test in this process may have loaded the real one.
vi.resetModules();
const { OutcomeFold } = await import('../../src/outcome/fold.ts');
afterEach(() => void (claims = []));

const claim = (quote: string, verdict: Claim['verdict'], why?: string): Claim => ({
  quote,
  start: 0,
  kind: 'tests_pass',
  verdict,
  evidence: why === undefined ? [] : [{ sequence: 3, grade: 'transcript', why }],
});

const answer = 'All tests pass. The build is clean.';
function outcomeOf(options: FoldOptions = {}): RunOutcome {
  const events: AgentEvent[] = [
    { type: 'thread.started', agent: 'a', session_id: 's' },
    { type: 'item.started', item_id: 'i', turn_id: 't', kind: 'command', name: 'bash', args: { command: 'npm test' } },
    { type: 'item.completed', item_id: 'i', status: 'success', exit_code: 1, output: '1 failed' },
    { type: 'text.completed', turn_id: 't', message_id: 'm', block_id: 'b', text: answer },
    { type: 'agent.finished', status: 'ok' },
  ];
  const fold = new OutcomeFold(options);
  for (const [index, event] of events.entries()) fold.apply({ ...event, sequence: index + 1 } as EventRecord);
  return RunOutcome.parse(fold.outcome('test', []));
}

const wrong = claim('All tests pass', 'contradicted', 'npm test: exit 1');
const unseen = claim('The build is clean', 'not_shown');

describe('claims in the outcome', () => {
  it('are there if there are any', () => {
    expect(outcomeOf().claims).toBeUndefined();
    claims = [wrong, unseen];
    expect(outcomeOf().claims).toEqual([wrong, unseen]);
    expect(outcomeOf({ claims: false }).claims).toBeUndefined();
  });

  it('are bounded, and what is contradicted stays', () => {
    claims = [...Array.from({ length: 300 }, (_, index) => claim(`${index} ${'x'.repeat(5000)}`, 'supported')), wrong];
    const { claims: shown = [], omitted } = outcomeOf();
    expect(shown).toHaveLength(100);
    expect(shown.at(-1)).toEqual(wrong);
    expect(omitted).toEqual({ claims: 201 });
    expect(Math.max(...shown.map(({ quote }) => quote.length))).toBeLessThan(1200);
    expect(outcomeOf({ full: true }).claims).toHaveLength(301);
  });

  it('fail a run only if --fail-on says so', () => {
    claims = [wrong, unseen];
    expect(outcomeOf().verdict.class).toBe('success');
    expect(outcomeOf({ failOn: ['claims'] }).verdict).toMatchObject({
      class: 'tool',
      exit_code: 3,
      evidence: [
        { detail: 'what happened contradicts the answer: "All tests pass": npm test: exit 1 (--fail-on claims)' },
        {},
        { signal: 'claims', detail: 'contradicted: "All tests pass": npm test: exit 1' },
      ],
    });
    claims = [unseen];
    expect(outcomeOf({ failOn: ['claims'] }).verdict.class).toBe('success');
  });

  it('can be expected not to be contradicted', async () => {
    const judged = (outcome: RunOutcome) =>
      new Expectations([parseRule('no contradicted claims')]).judge(outcome, {} as never);
    claims = [wrong];
    expect(await judged(outcomeOf())).toEqual([
      { rule: 'no contradicted claims', passed: false, detail: '"All tests pass": npm test: exit 1' },
    ]);
    claims = [unseen];
    expect(await judged(outcomeOf())).toEqual([{ rule: 'no contradicted claims', passed: true, detail: 'none' }]);
  });
});

describe('claims in reports', () => {
  it('for people, for CI and for GitHub', () => {
    claims = [claim('Pushed', 'supported', 'git push'), unseen, wrong];
    const outcome = outcomeOf();
    expect(claimLines(outcome)).toEqual([
      'contradicted: "All tests pass": npm test: exit 1',
      'not shown: "The build is clean"',
      '1 supported',
    ]);
    const markdown = reportMarkdown(outcome, new Story());
    expect(markdown.slice(markdown.indexOf('### Claims')).split('\n').slice(2, 5)).toEqual([
      '- ❌ contradicted: ` "All tests pass" `: ` npm test: exit 1 `',
      '- ❔ not shown: ` "The build is clean" `',
      '- ✅ supported: ` "Pushed" `: ` git push `',
    ]);
    const xml = junitXml([outcome]);
    expect(xml).toContain('tests="4" failures="1" errors="0"');
    expect(xml).toContain('skipped="1"');
    expect(xml).toContain(
      '<testcase name="&quot;All tests pass&quot;" classname="runwire.claims.tests_pass" time="0.000">\n      <failure message="npm test: exit 1" type="contradicted">npm test: exit 1</failure>',
    );
    expect(annotations(outcome, '')).toBe(
      '::error title=runwire%3A contradicted::"All tests pass": npm test: exit 1\n',
    );
  });

  it('hold no markup or control characters of the answer', () => {
    claims = [claim('<script>`x`\u001b[31m\u202e::error::', 'contradicted', '</failure>\n::error::')];
    const outcome = outcomeOf();
    for (const part of ['<script>', '\u001b', '\u202e']) expect(junitXml([outcome])).not.toContain(part);
    expect(annotations(outcome, '').split('\n')).toHaveLength(2);
    // eslint-disable-next-line no-control-regex -- the point is that there are none
    expect(claimLines(outcome).join('')).not.toMatch(/[\u001b\u202e\n]/);
  });
});
