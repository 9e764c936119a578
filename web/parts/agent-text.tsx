import Anser from 'anser';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fileSize } from '../../src/terminal/figures.ts';
import { visible } from './plain-text.ts';
import { withoutCommands } from './terminal-commands.ts';

const hues = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** Terminal output as spans; colours are those of the theme, so that they can be read on any background. */
function coloured(text: string): ComponentChildren {
  if (!text.includes('\u001b')) return visible(text);
  const clean = withoutCommands(text);
  return Anser.ansiToJson(clean, { json: true, use_classes: true, remove_empty: true }).map((part, index) => {
    const classes = [hueOf(part.fg, part.fg_truecolor), ...part.decorations.map((name) => `ansi-${name}`)]
      .filter(Boolean)
      .join(' ');
    return classes === '' ? (
      visible(part.content)
    ) : (
      <span key={index} class={classes}>
        {visible(part.content)}
      </span>
    );
  });
}

function hueOf(name: string | null, rgb: string | null): string {
  if (name === null || name === undefined) return '';
  const named = /^ansi-(?:bright-)?([a-z]+)$/.exec(name)?.[1] ?? '';
  if (hues.includes(named)) return `ansi-${named}`;
  const [red = 0, green = 0, blue = 0] = (rgb ?? '').split(',').map(Number);
  const most = Math.max(red, green, blue);
  if (!(most > 60) || most - Math.min(red, green, blue) < 40) return '';
  const bits = [red, green, blue].reduce((sum, value, index) => sum + (value > most / 2 ? 2 ** index : 0), 0);
  return `ansi-${hues[bits] ?? 'white'}`;
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
}

/** Program output, cut until the reader asks for more. */
export function Output({ text, lines = 400, label, class: name = '' }: Properties) {
  const [shown, setShown] = useState({ lines, length: step });
  const head = firstLines(text.length > shown.length ? text.slice(0, shown.length) : text, shown.lines);
  const rest = text.length - head.length;
  return (
    <div class={`output ${name}`}>
      <pre tabIndex={0} role="group" aria-label={label}>
        {coloured(overwritten(head))}
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
