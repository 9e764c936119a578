import fc from 'fast-check';
import { expect, it } from 'vitest';
import { junitXml } from '../../src/reports/junit.ts';
import { Thread } from '../../src/pipeline/thread.ts';
import type { Draft } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { anyText } from '../support/any-text.ts';

function outcomeOf(prompt: string, ...drafts: Draft[]): RunOutcome {
  const thread = new Thread({ newId: () => 't', introduction: { agent: 'codex', task: prompt } });
  for (const draft of drafts) thread.emit(draft);
  return thread.end('codex');
}

it('tells a run and its rules as test cases', () => {
  const outcome = outcomeOf(
    'Fix "it" & <more>\nplease',
    { type: 'text.completed', text: 'Done ]]> \u0007' },
    { type: 'agent.finished', status: 'ok' },
    { type: 'expectation.checked', rule: 'no secrets', passed: true, detail: '0 secrets' },
    { type: 'expectation.checked', rule: 'must run npm test', passed: false, detail: 'it did not' },
  );
  expect(junitXml([{ ...outcome, metrics: { ...outcome.metrics, duration_ms: 1500 } }]))
    .toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="runwire" tests="3" failures="2" errors="0" time="1.500">
  <testsuite name="runwire" tests="3" failures="2" errors="0" time="1.500" skipped="0">
    <testcase name="Fix &quot;it&quot; &amp; &lt;more&gt;" classname="runwire.codex" time="1.500">
      <failure message="1 of 2 expectations not met: must run npm test" type="expectation">verdict: 1 of 2 expectations not met: must run npm test
claim: ok
expectation: must run npm test: it did not</failure>
      <system-out>Done ]]&gt; \\x07</system-out>
    </testcase>
    <testcase name="no secrets" classname="runwire.expect" time="0.000"/>
    <testcase name="must run npm test" classname="runwire.expect" time="0.000">
      <failure message="it did not" type="expectation">it did not</failure>
    </testcase>
  </testsuite>
</testsuites>
`);
});

it('tells each agent of a race, and errors apart from failures', () => {
  const xml = junitXml([
    outcomeOf(
      'race',
      { type: 'branch.updated', branch_id: 'main', is_start: true },
      { type: 'branch.updated', branch_id: 'a', agent: 'codex', run_id: 'r1', status: 'success', verified: 'passed' },
      { type: 'branch.updated', branch_id: 'b', agent: 'claude', run_id: 'r2', status: 'provider' },
      { type: 'branch.updated', branch_id: 'c', agent: 'pi', run_id: 'r3', status: 'success', verified: 'failed' },
      { type: 'text.completed', text: 'a wins' },
      { type: 'agent.finished', status: 'ok' },
    ),
  ]);
  expect(xml).toContain('tests="4" failures="1" errors="1"');
  expect(xml).toContain('<testcase name="codex a" classname="runwire.codex" time="0.000"/>');
  expect(xml).toContain('<error message="provider" type="provider">');
  expect(xml).toContain('<failure message="success, verify failed" type="verify">');
});

it('is XML whatever an agent says', () => {
  fc.assert(
    fc.property(anyText(40), (text) => {
      const xml = junitXml([
        outcomeOf(
          text,
          { type: 'text.completed', text },
          { type: 'error', scope: 'x', code: 'server', message: text, fatal: true },
        ),
      ]);
      // What XML allows, and no markup but ours.
      expect(xml).toMatch(/^[\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
      expect(
        xml.replaceAll(/<\/?(?:testsuites|testsuite|testcase|failure|error|system-out)\b[^<>]*>|<\?xml[^<>]*\?>/g, ''),
      ).not.toMatch(/[<>]/);
      expect(xml.replaceAll(/&(?:amp|lt|gt|quot|#10|#9);/g, '')).not.toContain('&');
    }),
    { numRuns: 200 },
  );
});
