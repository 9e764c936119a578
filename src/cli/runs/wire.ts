import type { WireView } from '../../ledger/wire-view.ts';
import { compactCount, compactDuration, dollars, plural } from '../../terminal/figures.ts';
import { paint } from '../../terminal/paint.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Screen } from '../../terminal/table.ts';

const lineLength = 400;

export function drawWire({ requests, omitted }: WireView, screen: Screen): string {
  const shown = requests.map((each) => {
    const facts = [
      each.model_served ?? each.model,
      each.input_tokens === undefined ? undefined : `${compactCount(each.input_tokens)} in`,
      each.output_tokens === undefined ? undefined : `${compactCount(each.output_tokens)} out`,
      dollars(each.cost_usd),
      each.duration_ms === undefined ? undefined : compactDuration(each.duration_ms),
      each.status === 200 ? undefined : String(each.status ?? 'no answer'),
      each.ended === 'complete' ? undefined : each.ended?.replaceAll('_', ' '),
    ].filter((fact) => fact !== undefined);
    const lines = [
      ...(each.changed.length === 0 ? [] : [`set  ${each.changed.join(', ')}`]),
      ...each.new.map((text) => `new  ${text}`),
      ...(each.new_omitted === undefined ? [] : [`new  … ${plural(each.new_omitted, 'more message')}`]),
      ...(each.text === undefined ? [] : [`back ${each.text}`]),
      ...(each.calls ?? []).map(({ name, args }) => `call ${name} ${args}`),
      ...(each.error === undefined ? [] : [`error ${each.error}`]),
    ];
    return `${paint(`request ${each.request}`, 'bold', screen)}  ${oneLine(facts.join(', '), lineLength)}\n${lines.map((line) => `  ${oneLine(line, lineLength)}\n`).join('')}`;
  });
  return shown.join('\n') + (omitted === 0 ? '' : `\n… ${plural(omitted, 'more request')}\n`);
}
