import { useEffect, useRef } from 'preact/hooks';
import type { RunModel } from '../model/run-model.ts';
import { beganAt, finishedAt } from './spans.ts';

interface Properties {
  model: RunModel;
  /** The part in view, and a callback for when the user chooses another. */
  view?: readonly [from: number, to: number];
  onView?: (from: number, to: number) => void;
}

const height = 40;

/** The whole run in two lanes: tools above, the model below. What no tool fills, from the first turn to the end, is the model's. */
export function Strip({ model, view, onView }: Properties) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const version = model.version.value;
  useEffect(() => {
    const draw = (): void => {
      if (canvas.current !== null) paint(canvas.current, model, view);
    };
    draw();
    const resized = new ResizeObserver(draw);
    if (canvas.current !== null) resized.observe(canvas.current);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      dark.removeEventListener('change', draw);
    };
  }, [version, view?.[0], view?.[1]]);

  function drag(event: PointerEvent): void {
    const { firstAt, lastAt } = model;
    const box = canvas.current?.getBoundingClientRect();
    if (onView === undefined || box === undefined || firstAt === undefined || lastAt === undefined) return;
    const timeAt = ({ clientX }: PointerEvent): number =>
      firstAt + Math.min(Math.max(0, (clientX - box.left) / box.width), 1) * (lastAt - firstAt);
    const start = timeAt(event);
    const width = view === undefined ? lastAt - firstAt : view[1] - view[0];
    const move = (next: PointerEvent): void => {
      const end = timeAt(next);
      // A click moves the window, a drag draws a new one.
      if (Math.abs(end - start) < (lastAt - firstAt) / 200) onView(start - width / 2, start + width / 2);
      else onView(Math.min(start, end), Math.max(start, end));
    };
    const done = (): void => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', done);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', done);
    move(event);
  }
  return (
    <canvas
      ref={canvas}
      class={`strip ${onView === undefined ? '' : 'strip-map'}`}
      height={height}
      aria-hidden="true"
      onPointerDown={onView === undefined ? undefined : drag}
    />
  );
}

function paint(canvas: HTMLCanvasElement, model: RunModel, view: Properties['view']): void {
  const { firstAt, lastAt, rows } = model;
  const pixels = devicePixelRatio;
  const width = canvas.clientWidth;
  canvas.width = Math.max(1, width * pixels);
  canvas.height = height * pixels;
  const ink = canvas.getContext('2d');
  if (ink === null || firstAt === undefined || lastAt === undefined) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name);
  ink.scale(pixels, pixels);
  const scale = width / Math.max(1, lastAt - firstAt);
  const x = (at: number): number => (at - firstAt) * scale;
  const [paper, bad, warn, accent, tool] = ['--paper', '--bad', '--warn', '--accent', '--tool'].map(colour) as [
    string,
    string,
    string,
    string,
    string,
  ];
  ink.fillStyle = colour('--model');
  const began = x(beganAt(model));
  ink.fillRect(began, 23, x(finishedAt(model)) - began, 13);
  // Neighbours that share a pixel are drawn once.
  let drawn = -1;
  let cleared = -1;
  for (let index = 0; index < rows.length; index += 1) {
    const at = rows.at(index);
    if (at === undefined || rows.kind(index) !== 'tool' || rows.isNested(index)) continue;
    const left = x(at);
    const right = Math.min(width, Math.max(left + 1.5, x(rows.endAt(index) ?? lastAt)));
    if (right > cleared) {
      ink.fillStyle = paper;
      ink.fillRect(left, 23, right - left, 13);
      cleared = right;
    }
    const tone = rows.tone(index);
    if (right <= drawn && tone === 'good') continue;
    ink.fillStyle = tone === 'bad' ? bad : tone === 'warn' ? warn : rows.isOpen(index) ? accent : tool;
    ink.fillRect(left, 5, right - left, 13);
    drawn = Math.max(drawn, right);
  }
  for (let index = 0; index < rows.length; index += 1) {
    const at = rows.at(index);
    const kind = rows.kind(index);
    const tone = rows.tone(index);
    if (at === undefined || kind === 'tool' || kind === 'log' || (tone !== 'bad' && tone !== 'warn')) continue;
    ink.fillStyle = tone === 'bad' ? bad : warn;
    ink.fillRect(Math.min(width - 2, x(at)), 0, 2, height);
    const endAt = rows.endAt(index);
    if (endAt !== undefined) ink.fillRect(x(at), 23, x(endAt) - x(at), 13);
  }
  if (view === undefined || (view[0] <= firstAt && view[1] >= lastAt)) return;
  ink.fillStyle = colour('--veil');
  ink.fillRect(0, 0, x(view[0]), height);
  ink.fillRect(x(view[1]), 0, width, height);
  ink.strokeStyle = colour('--accent');
  ink.strokeRect(x(view[0]) + 0.5, 0.5, Math.max(3, x(view[1]) - x(view[0]) - 1), height - 1);
}
