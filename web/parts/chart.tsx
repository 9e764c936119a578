import { useEffect, useRef, useState } from 'preact/hooks';

interface Line {
  label: string;
  values: readonly (number | null)[];
  /** The label of a value on the axis. */
  figure: (value: number) => string;
  /** The top of the axis, if it is not the greatest value. */
  most?: number;
}

interface Properties {
  times: readonly number[];
  /** The label of a moment under the axis. */
  moment: (at: number) => string;
  /** One or two: the first has its axis on the left, the second on the right. */
  lines: readonly Line[];
  label: string;
}

const height = 180;
const edge = { top: 10, bottom: 24, side: 64 };
/** Where there are more points than this, neighbours are drawn as one. */
const pointsDrawn = 400;

/** At most two lines over time, each with its own axis. The arrow keys and the pointer show the values of a moment. */
export function Chart({ times, moment, lines, label }: Properties) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  const [chosen, setChosen] = useState<number | undefined>();
  useEffect(() => {
    const resized = new ResizeObserver(([entry]) =>
      setWidth(Math.max(240, Math.floor(entry?.contentRect.width ?? 600))),
    );
    if (box.current !== null) resized.observe(box.current);
    return () => resized.disconnect();
  }, []);
  const [first = 0, last = first] = [times[0], times.at(-1)];
  const right = lines.length > 1 ? edge.side : 12;
  const x = (at: number): number =>
    edge.side + ((at - first) / Math.max(1, last - first)) * (width - edge.side - right);
  const scales = lines.map(({ values, most }) =>
    niceTop(most ?? values.reduce<number>((top, value) => Math.max(top, value ?? 0), 0)),
  );
  const y = (value: number, line: number): number =>
    height - edge.bottom - (value / (scales[line] ?? 1)) * (height - edge.top - edge.bottom);
  const at = Math.min(chosen ?? times.length - 1, times.length - 1);

  function point({ clientX }: PointerEvent): void {
    const left = box.current?.getBoundingClientRect().left ?? 0;
    const wanted = first + ((clientX - left - edge.side) / Math.max(1, width - edge.side - right)) * (last - first);
    let [low, high] = [0, times.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    const before = Math.max(0, low - 1);
    setChosen(Math.abs((times[before] ?? 0) - wanted) < Math.abs((times[low] ?? 0) - wanted) ? before : low);
  }
  function onKeyDown(event: KeyboardEvent): void {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    setChosen(Math.min(Math.max(0, at + by), times.length - 1));
  }

  return (
    <div
      class="chart"
      ref={box}
      tabIndex={0}
      role="group"
      aria-label={label}
      onKeyDown={onKeyDown}
      onPointerMove={point}
      onPointerLeave={() => setChosen(undefined)}
    >
      <p class="chart-legend" role="status">
        <span>{times[at] === undefined ? '' : moment(times[at])}</span>
        {lines.map(({ label: name, values, figure }, line) => (
          <span key={name} class={`chart-name chart-name-${line}`}>
            {name} {valueAt(values, at, figure)}
          </span>
        ))}
      </p>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line class="chart-grid" x1={edge.side} x2={width - right} y1={y(share, -1)} y2={y(share, -1)} />
            {lines.map(({ figure }, line) => (
              <text
                key={line}
                x={line === 0 ? edge.side - 8 : width - right + 8}
                y={y(share, -1) + 4}
                text-anchor={line === 0 ? 'end' : 'start'}
              >
                {figure(share * (scales[line] ?? 1))}
              </text>
            ))}
          </g>
        ))}
        <text x={edge.side} y={height - 6}>
          {moment(first)}
        </text>
        <text x={width - right} y={height - 6} text-anchor="end">
          {times.length > 1 ? moment(last) : ''}
        </text>
        {lines.map(({ values }, line) => (
          <path
            key={line}
            class={`chart-line chart-line-${line}`}
            d={path(times, values, x, (value) => y(value, line))}
          />
        ))}
        {times[at] === undefined || chosen === undefined ? null : (
          <line class="chart-cursor" x1={x(times[at])} x2={x(times[at])} y1={edge.top} y2={height - edge.bottom} />
        )}
        {lines.map(({ values }, line) =>
          values[at] === null || values[at] === undefined || times[at] === undefined ? null : (
            <circle
              key={line}
              class={`chart-point chart-point-${line}`}
              cx={x(times[at])}
              cy={y(values[at], line)}
              r="3.5"
            />
          ),
        )}
      </svg>
    </div>
  );
}

function valueAt(values: readonly (number | null)[], at: number, figure: (value: number) => string): string {
  const value = values[at];
  return value === null || value === undefined ? '–' : figure(value);
}

/** The next round figure: 1, 2 or 5 times a power of ten. */
function niceTop(most: number): number {
  if (!(most > 0)) return 1;
  const size = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((each) => each * size).find((each) => each >= most * 0.999) ?? most;
}

/** A line through the known values; an unknown value is a gap. */
function path(
  times: readonly number[],
  values: readonly (number | null)[],
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  const every = Math.max(1, Math.ceil(times.length / pointsDrawn));
  let text = '';
  let isApart = true;
  for (
    let index = 0;
    index < times.length;
    index += index + every >= times.length && index < times.length - 1 ? times.length - 1 - index : every
  ) {
    const [at, value] = [times[index], values[index]];
    if (at === undefined || value === null || value === undefined) {
      isApart = true;
      continue;
    }
    const place = `${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    // A lone point is a line of zero length, which a round line cap makes visible.
    text += isApart ? `M${place}L${place}` : `L${place}`;
    isApart = false;
  }
  return text;
}
