import type { RunRecord } from '../api.ts';
import { Command, useAnswer } from '../parts/common.tsx';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';

/** What could be done next: flags are in their exact form, to be copied. */
export function WhatToTry({ run }: { run: RunRecord }) {
  const { answer: advice = [] } = useAnswer(
    async () => (run.outcome === undefined ? [] : source.value.advice(run.id)),
    [run.id, run.status],
  );
  if (advice.length === 0) return null;
  return (
    <section aria-labelledby="try">
      <h2 id="try">What to try</h2>
      <ul class="advice">
        {advice.map((line) => (
          <li key={line}>
            <Advice line={line} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Advice({ line }: { line: string }) {
  if (line.startsWith('runwire ')) return <Command text={line} />;
  // Flags first, then what they do.
  const flags = /^((?:--allow (?:'[^']*'|[^\s']+) ?)+)permits /.exec(line)?.[1]?.trim();
  return flags === undefined ? (
    <p>{oneLine(line, 600)}</p>
  ) : (
    <>
      <Command text={flags} />
      <p class="muted">{oneLine(line.slice(flags.length), 600)}</p>
    </>
  );
}

const rulesShown = 100;

/** What was expected of the run, and whether it held; what did not comes first. */
export function Expectations({ run }: { run: RunRecord }) {
  const all = run.outcome?.expectations ?? [];
  if (all.length === 0) return null;
  const shown = all.toSorted((a, b) => Number(a.passed) - Number(b.passed)).slice(0, rulesShown);
  return (
    <section aria-labelledby="expected">
      <h2 id="expected">
        Expected{' '}
        <span class="count">
          {all.filter(({ passed }) => passed).length} of {all.length} hold
        </span>
      </h2>
      <ul class="trouble">
        {shown.map(({ rule, passed, detail }) => (
          <li key={rule}>
            <span class={passed ? 'text-good' : 'text-bad'}>
              {passed ? '✓' : '✗'}
              <span class="sr-only">{passed ? ' holds' : ' does not hold'}</span>
            </span>{' '}
            <code>{oneLine(rule, 200)}</code> <span class="muted">{oneLine(detail, 300)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
