import { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { paint } from '../../terminal/paint.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Screen } from '../../terminal/table.ts';
import { filled } from '../../contract/flag-values.ts';
import { openFile } from '../run/documents.ts';
import type { Context } from '../context.ts';
import { screenOf } from '../screen.ts';

export async function tellCheck(outcome: RunOutcome, code: number, isText: boolean, context: Context): Promise<void> {
  const { verdict, expectations = [] } = outcome;
  if (isText) return context.show(checkText(outcome, code, screenOf(context)));
  const summary = {
    passed: code === 0,
    exit_code: code,
    class: verdict.class,
    evidence: verdict.evidence,
    expectations,
  };
  await context.print(`${JSON.stringify(summary, null, context.stdoutIsTerminal ? 2 : 0)}\n`);
}

function checkText({ verdict, expectations = [] }: RunOutcome, code: number, screen: Screen): string {
  const lines = expectations.map(
    ({ rule, passed, detail }) =>
      `${paint(passed ? 'holds' : 'fails', passed ? 'green' : 'red', screen)}  ${oneLine(rule, 200)}: ${oneLine(detail, 300)}\n`,
  );
  const why = oneLine(verdict.evidence[0]?.detail ?? '', 300);
  return `${lines.join('')}${paint(code === 0 ? 'passed' : 'failed', code === 0 ? 'green' : 'red', screen)}  ${verdict.class}: ${why}\n`;
}

export async function writeJunit(path: string, outcomes: readonly RunOutcome[], context: Context): Promise<void> {
  const file = openFile('--junit', filled('--junit', path, 'junit.xml') ?? path, context, (message) => {
    throw new Failure('output', message);
  });
  const { junitXml } = await import('../../reports/junit.ts');
  file.text(junitXml(outcomes));
}
