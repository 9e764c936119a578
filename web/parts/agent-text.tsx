import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fileSize } from '../../src/terminal/figures.ts';
import { coloured } from './code.tsx';
import { visible } from './plain-text.ts';
import { shadesOf } from './shades.ts';
import { withoutCommands } from './terminal-commands.ts';

/** Terminal output as spans; colours are those of the theme, so that they can be read on any background. */
function terminal(text: string): ComponentChildren {
  if (!text.includes('\u001b')) return visible(text);
  return shadesOf(withoutCommands(text)).map(({ text: part, classes }, index) =>
    classes === '' ? (
      visible(part)
    ) : (
      <span key={index} class={classes}>
        {visible(part)}
      </span>
    ),
  );
}

/** A line that was overwritten shows its last content. */
function overwritten(text: string): string {
  if (!text.includes('\r')) return text;
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replace(/\r$/, ''))
    .join('\n');
}

const step = 20_000;

interface Properties {
  text: string;
  /** Lines to show before "show all". */
  lines?: number;
  label: string;
  class?: string;
  /** A name of a language or of a file, if it is code. */
  language?: string | undefined;
}

/** Program output, cut until the reader asks for more. */
export function Output({ text, lines = 400, label, class: name = '', language }: Properties) {
  const [shown, setShown] = useState({ lines, length: step });
  const head = firstLines(text.length > shown.length ? text.slice(0, shown.length) : text, shown.lines);
  const rest = text.length - head.length;
  return (
    <div class={`output ${name}`}>
      <pre tabIndex={0} role="group" aria-label={label}>
        {language === undefined || head.includes('\u001b') ? terminal(overwritten(head)) : coloured(head, language)}
      </pre>
      {rest > 0 ? (
        <button
          type="button"
          class="more"
          onClick={() => setShown({ lines: shown.lines + 2000, length: shown.length + step * 10 })}
        >
          Show more ({fileSize(rest)} left)
        </button>
      ) : null}
    </div>
  );
}

function firstLines(text: string, count: number): string {
  let at = -1;
  for (let line = 0; line < count; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1) return text;
  }
  return text.slice(0, at);
}
