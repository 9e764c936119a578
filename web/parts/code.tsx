import type { ComponentChildren } from 'preact';
import { visible } from './plain-text.ts';
import { languageOf, type Part, partsOf } from './syntax.ts';

/** A stretch of a line that is emphasised. */
export interface Stretch {
  from: number;
  to: number;
}

/** Code as coloured text; it is only ever text, whatever stands in it. */
export function coloured(text: string, name: string, changed: readonly Stretch[] = []): ComponentChildren {
  const language = languageOf(name);
  const parts = language === undefined ? [] : partsOf(text, language);
  if (parts.length === 0 && changed.length === 0) return visible(text);
  return pieces(text, parts, changed);
}

/** The text cut where a colour or an emphasis begins or ends. */
function pieces(text: string, parts: readonly Part[], changed: readonly Stretch[]): ComponentChildren[] {
  const found: ComponentChildren[] = [];
  let [at, part, stretch] = [0, 0, 0];
  while (at < text.length) {
    while ((parts[part]?.to ?? Infinity) <= at) part += 1;
    while ((changed[stretch]?.to ?? Infinity) <= at) stretch += 1;
    const [own, change] = [parts[part], changed[stretch]];
    const isIn = own !== undefined && own.from <= at;
    const isChanged = change !== undefined && change.from <= at;
    const to = Math.min(
      text.length,
      (isIn ? own.to : own?.from) ?? Infinity,
      (isChanged ? change.to : change?.from) ?? Infinity,
    );
    const shown = visible(text.slice(at, to));
    const inner = isIn ? (
      <span key={at} class={`code-${own.kind}`}>
        {shown}
      </span>
    ) : (
      shown
    );
    found.push(isChanged ? <em key={at}>{inner}</em> : inner);
    at = to;
  }
  return found;
}
