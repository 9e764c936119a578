import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { compactCount, compactDuration, dollars, percent, plural } from '../../src/terminal/figures.ts';
import type { RunRecord } from '../api.ts';
import type { RunModel } from '../model/run-model.ts';
import { Chart } from '../parts/chart.tsx';
import { Empty, now } from '../parts/common.tsx';
import { leaveButton, useKeys } from '../parts/keys.ts';
import { source } from '../parts/source.ts';
import { oneLine } from '../parts/plain-text.ts';
import { type ListHandle, VirtualList } from '../parts/virtual-list.tsx';
import { useWide } from '../parts/wide.ts';
import { go, pathWith } from '../route.ts';
import { TimeInWords } from './result.tsx';
import { barHeight } from './run-bar.tsx';
import { TranscriptRow } from './transcript-row.tsx';
import { idleParts, Scale, type Span, spansOf } from './spans.ts';
import { Strip } from './strip.tsx';

type Window = readonly [from: number, to: number];
const longFrom = 5000;
/** In a narrower window a line leads to the transcript. */
const detailsFrom = 1200;
/** A smaller share of idle time is not worth a button. */
const idleOfferedFrom = 0.3;

/** The third layer: where the time went, as a waterfall over one axis. */
export function Time({ run, model }: { run: RunRecord; model: RunModel }) {
  const version = model.version.value;
  // A long run that is still running is drawn every other second, not with every event.
  const isLong = model.rows.length > longFrom && run.status === 'running';
  const spans = useMemo(() => spansOf(model), [model, isLong ? Math.floor(now.value / 2000) : version]);
  const [isCompressed, setCompressed] = useState(false);
  const [zoomed, setZoomed] = useState<Window | undefined>();
  const [selected, setSelected] = useState(-1);
  const handle = useRef<ListHandle>(null);
  const chart = useRef<HTMLDivElement>(null);
  const times: Window = [model.firstAt ?? 0, model.lastAt ?? 0];
  const gaps = useMemo(() => idleParts(spans, times), [spans, times[0], times[1]]);
  const scale = useMemo(() => new Scale(isCompressed ? gaps : [], times), [gaps, isCompressed]);
  const idle = gaps.reduce((sum, { from, to }) => sum + to - from, 0) / Math.max(1, times[1] - times[0]);
  // The drawn range: real time, except that idle time may be drawn short.
  const all: Window = [scale.place(times[0]), scale.place(times[1])];
  const view = zoomed ?? all;

  const isWide = useWide(detailsFrom);
  const chosen = spans[selected]?.row ?? -1;
  const details = isWide && chosen >= 0 ? chosen : undefined;

  function look(from: number, to: number): void {
    const width = Math.min(all[1] - all[0], Math.max(5, to - from));
    const start = Math.min(Math.max(all[0], from), all[1] - width);
    setZoomed(width >= all[1] - all[0] ? undefined : [start, start + width]);
  }
  function zoom(factor: number, middle = (view[0] + view[1]) / 2): void {
    look(middle - (middle - view[0]) * factor, middle + (view[1] - middle) * factor);
  }
  const pan = (share: number): void =>
    look(view[0] + (view[1] - view[0]) * share, view[1] + (view[1] - view[0]) * share);
  function select(index: number): void {
    leaveButton();
    const at = Math.min(Math.max(0, index), spans.length - 1);
    setSelected(at);
    handle.current?.scrollTo(Math.max(0, at - 5));
  }
  const open = (span: Span | undefined): void => {
    if (span !== undefined && span.row >= 0) go(`${pathWith({ view: 'events' })}#e${model.rows.seq(span.row)}`);
  };
  useKeys([
    { key: '+', what: 'Zoom in', run: () => zoom(0.5) },
    { key: '-', what: 'Zoom out', run: () => zoom(2) },
    { key: '0', what: 'Show the whole run', run: () => setZoomed(undefined) },
    { key: 'ArrowLeft', what: 'Earlier', run: () => pan(-0.2) },
    { key: 'ArrowRight', what: 'Later', run: () => pan(0.2) },
    { key: 'j', what: 'Next line', run: () => select(selected + 1) },
    { key: 'k', what: 'Previous line', run: () => select(selected - 1) },
    { key: 'z', what: 'Zoom to the line', run: () => fit(spans[selected]) },
    { key: 'i', what: 'Shorten idle time, or show its true length', run: compress },
    { key: 'g', what: 'Go to the beginning', run: () => select(0) },
    { key: 'G', what: 'Go to the end', run: () => select(spans.length - 1) },
    { key: 'Enter', what: 'Open it in the transcript', run: () => open(spans[selected]) },
  ]);
  function fit(span: Span | undefined): void {
    if (span === undefined) return;
    const [from, to] = [scale.place(span.from), scale.place(span.to)];
    const room = Math.max(20, (to - from) * 0.15);
    look(from - room, to + room);
  }
  function compress(): void {
    if (gaps.length === 0) return;
    setZoomed(undefined);
    setCompressed(!isCompressed);
  }
  useEffect(() => {
    const box = chart.current;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey || box === null) return;
      event.preventDefault();
      const { left, width } = box.getBoundingClientRect();
      const name = Number.parseFloat(getComputedStyle(box).getPropertyValue('--name-width')) || 0;
      const share = Math.min(Math.max(0, (event.clientX - left - name) / Math.max(1, width - name)), 1);
      zoom(event.deltaY > 0 ? 1.25 : 0.8, view[0] + share * (view[1] - view[0]));
    };
    box?.addEventListener('wheel', onWheel, { passive: false });
    return () => box?.removeEventListener('wheel', onWheel);
  });

  if (spans.length === 0)
    return (
      <Empty title="No times">
        <p>
          {run.status === 'running'
            ? 'Nothing has happened yet.'
            : 'The stream of this run has no times, or its tape is not here.'}
        </p>
      </Empty>
    );
  return (
    <div class="time">
      <div class="time-head">
        <TimeInWords model={model} />
        {idle > idleOfferedFrom ? (
          <p class="idle">
            {percent(idle)} of it in {plural(gaps.length, 'long wait')} ·{' '}
            <button type="button" class="quiet" aria-pressed={isCompressed} onClick={compress}>
              {isCompressed ? 'Show true lengths' : 'Shorten them'}
            </button>
          </p>
        ) : null}
        <div class="time-buttons" role="group" aria-label="Zoom">
          <button type="button" aria-label="Zoom out" onClick={() => zoom(2)}>
            −
          </button>
          <button type="button" aria-label="Zoom in" onClick={() => zoom(0.5)}>
            +
          </button>
          <button type="button" onClick={() => setZoomed(undefined)} disabled={zoomed === undefined}>
            Fit
          </button>
        </div>
      </div>
      <Strip
        model={model}
        view={[scale.moment(view[0]), scale.moment(view[1])]}
        onView={(from, to) => look(scale.place(from), scale.place(to))}
      />
      <div class={details === undefined ? '' : 'time-split'}>
        <div class="waterfall" ref={chart}>
          <Axis view={view} start={times[0]} scale={scale} isCompressed={isCompressed} />
          <VirtualList
            count={spans.length}
            identity={model}
            onRange={(from, to) => model.look(spans[from]?.row ?? 0, (spans[to - 1]?.row ?? 0) + 1)}
            estimate={26}
            inset={barHeight.value + 24}
            label="Timeline"
            handle={handle}
            render={(index) => {
              const span = spans[index];
              return span === undefined ? null : (
                <SpanLine
                  span={span}
                  model={model}
                  scale={scale}
                  view={view}
                  start={times[0]}
                  isSelected={index === selected}
                  onOpen={() => (isWide && span.row >= 0 ? setSelected(index) : open(span))}
                  onFit={() => fit(span)}
                />
              );
            }}
          />
        </div>
        {details === undefined ? null : (
          <Details
            run={run}
            model={model}
            row={details}
            onOpen={() => open(spans[selected])}
            onClose={() => setSelected(-1)}
          />
        )}
      </div>
      <UsageChart model={model} />
    </div>
  );
}

/** What a line stands for, beside the timeline. */
function Details({
  run,
  model,
  row: index,
  onOpen,
  onClose,
}: {
  run: RunRecord;
  model: RunModel;
  row: number;
  onOpen: () => void;
  onClose: () => void;
}) {
  const row = model.row(index);
  return (
    <section class="details" aria-label="Details">
      <p class="details-head">
        <button type="button" onClick={onOpen}>
          Open in the transcript
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </p>
      {row === undefined ? (
        <p class="muted">Reading…</p>
      ) : (
        <TranscriptRow
          row={row}
          usage={model.turnUsage.of(index)}
          runId={run.id}
          start={model.firstAt}
          isMember={false}
          isToggled
          isSelected={false}
          isLinked={false}
          onToggle={onClose}
        />
      )}
    </section>
  );
}

/** Round steps, about one for every 90 pixels. */
function ticks([from, to]: Window, start: number, count: number): { at: number; label: string }[] {
  const raw = (to - from) / Math.max(1, count);
  const size = 10 ** Math.floor(Math.log10(Math.max(1, raw)));
  const step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= raw) ?? size * 10;
  const found = [];
  for (let at = Math.ceil((from - start) / step) * step; at <= to - start; at += step)
    found.push({ at: at + start, label: compactDuration(at) });
  return found;
}

function Axis({
  view,
  start,
  scale,
  isCompressed,
}: {
  view: Window;
  start: number;
  scale: Scale;
  isCompressed: boolean;
}) {
  const count = innerWidth < 600 ? 3 : 8;
  const width = view[1] - view[0] || 1;
  // Where time is not to scale, the marks are evenly spaced and labelled with their moments.
  const marks = isCompressed
    ? Array.from({ length: count }, (_, index) => {
        const place = view[0] + (width * index) / count;
        return { place, label: compactDuration(Math.max(0, scale.moment(place) - start)) };
      })
    : ticks(view, start, count).map(({ at, label }) => ({ place: at, label }));
  return (
    <div class="axis" aria-hidden="true">
      <span class="axis-scale">
        {marks.map(({ place, label }) => (
          <span key={place} class="tick" style={{ left: `${((place - view[0]) / width) * 100}%` }}>
            {label}
          </span>
        ))}
      </span>
    </div>
  );
}

interface LineProperties {
  span: Span;
  model: RunModel;
  scale: Scale;
  view: Window;
  start: number;
  isSelected: boolean;
  onOpen: () => void;
  onFit: () => void;
}

function SpanLine({ span, model, scale, view, start, isSelected, onOpen, onFit }: LineProperties) {
  const { rows } = model;
  const { kind, row, from, to } = span;
  const entry = row < 0 ? undefined : model.row(row);
  const isOpen = row >= 0 && rows.isOpen(row);
  const tone = kind === 'wait' || row < 0 ? 'info' : rows.tone(row);
  const width = view[1] - view[0] || 1;
  const left = ((scale.place(from) - view[0]) / width) * 100;
  const size = ((scale.place(to) - scale.place(from)) / width) * 100;
  const isSeen = left + size >= 0 && left <= 100;
  const took = to - from;
  const shown = Math.min(Math.max(0, left), 99.5);
  const length = Math.max(0.4, Math.min(100, left + size) - shown);
  const name = kind === 'wait' ? 'Model' : oneLine(entry?.label ?? rows.label(row), 80);
  const about = kind === 'turn' ? '' : (entry?.tool?.about ?? entry?.text.slice(0, 400) ?? '');
  const figure = kind === 'mark' && took === 0 ? compactDuration(from - start) : compactDuration(took);
  const isLeft = shown + length > 82;
  const isShort = scale.place(to) - scale.place(from) < took * 0.99;
  return (
    <button
      type="button"
      class={`span span-${kind} ${isSelected ? 'is-selected' : ''} ${row >= 0 && rows.isNested(row) ? 'is-nested' : ''}`}
      onClick={onOpen}
      onDblClick={onFit}
    >
      <span class="span-name">
        <span class="span-label">{name}</span>
        <span class="span-about">{oneLine(about, 120)}</span>
        <span class="sr-only"> at {compactDuration(from - start)}</span>
      </span>
      <span class="span-track">
        {isSeen ? (
          <>
            <span
              class={`bar bar-${kind} tone-${isOpen ? 'open' : tone}`}
              style={{ left: `${shown}%`, width: `${Math.min(length, 100 - shown)}%` }}
            />
            <span
              class={`span-took ${isLeft ? 'is-left' : ''}`}
              style={isLeft ? { right: `${100 - shown}%` } : { left: `${shown + length}%` }}
            >
              {figure}
              {isShort ? ', shortened' : ''}
            </span>
          </>
        ) : (
          <span class={`span-away ${left > 100 ? 'is-right' : ''}`}>{left > 100 ? '→' : '←'}</span>
        )}
      </span>
    </button>
  );
}

function UsageChart({ model }: { model: RunModel }) {
  const [isOpen, setOpen] = useState(false);
  const version = model.version.value;
  const { times, lines } = useMemo(
    () => ({
      times: model.usage.map(({ at }) => at),
      lines: [
        { label: 'Tokens', values: model.usage.map(({ tokens }) => tokens), figure: compactCount },
        ...(model.usage.some(({ cost }) => cost !== undefined)
          ? [
              {
                label: 'Cost',
                values: model.usage.map(({ cost }) => cost ?? null),
                figure: (value: number) => dollars(value),
              },
            ]
          : []),
      ],
    }),
    [isOpen ? version : 0, isOpen],
  );
  if (model.usage.length < 2) return null;
  return (
    <section class="usage" aria-label="Usage">
      <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide' : 'Show'} how tokens and cost built up
      </button>
      {isOpen ? (
        <>
          {(source.value.leftOut?.events ?? 0) > 0 ? (
            <p class="muted">Usage in events that this report leaves out is not included.</p>
          ) : null}
          <Chart
            times={times}
            lines={lines}
            moment={(at) => compactDuration(at - (model.firstAt ?? at))}
            label="Tokens and cost over the time of the run"
          />
        </>
      ) : null}
    </section>
  );
}
