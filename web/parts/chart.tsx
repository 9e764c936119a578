import { useEffect, useRef, useState } from 'preact/hooks';

export interface Line {
  label: string;
  values: readonly (number | null)[];
  /** Written at the axis. */
  figure: (value: number) => string;
  range?: readonly [number, number];
}

/** At most two lines over time, each with an axis of its own. The library is loaded when there is something to draw. */
export function Chart({ times, lines, label }: { times: readonly number[]; lines: readonly Line[]; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    let plot: { destroy(): void; setSize(size: { width: number; height: number }): void } | undefined;
    let isGone = false;
    const resized = new ResizeObserver(() => plot?.setSize({ width: box.current?.clientWidth ?? 600, height: 180 }));
    import('uplot').then(
      ({ default: Plot }) => {
        if (isGone || box.current === null) return;
        const style = getComputedStyle(box.current);
        const ink = style.getPropertyValue('--muted');
        const colours = [style.getPropertyValue('--accent'), style.getPropertyValue('--ink')];
        plot = new Plot(
          {
            width: box.current.clientWidth,
            height: 180,
            cursor: { y: false },
            legend: { live: true },
            scales: Object.fromEntries(
              lines.map(({ range }, at) => [`y${at}`, range === undefined ? {} : { range: [...range] as [number, number] }]),
            ),
            axes: [
              { stroke: ink, grid: { show: false }, ticks: { stroke: ink, width: 1 } },
              ...lines.map(({ figure }, at) => ({
                scale: `y${at}`,
                side: at === 0 ? (3 as const) : (1 as const),
                stroke: ink,
                size: 74,
                grid: { show: at === 0, stroke: style.getPropertyValue('--line'), width: 1 },
                values: (_plot: unknown, ticks: number[]) => ticks.map(figure),
              })),
            ],
            series: [
              {},
              ...lines.map(({ label: name, figure }, at) => ({
                label: name,
                scale: `y${at}`,
                stroke: colours[at] ?? ink,
                width: 1.5,
                ...(at === 1 ? { dash: [5, 4] } : {}),
                spanGaps: true,
                points: { show: times.length < 40 },
                value: (_plot: unknown, value: number | null) => (value === null ? '–' : figure(value)),
              })),
            ],
          },
          [times.map((at) => at / 1000), ...lines.map(({ values }) => [...values])] as [number[], ...(number | null)[][]],
          box.current,
        );
        resized.observe(box.current);
      },
      () => setFailure('The chart could not be loaded. Reload the page to try again.'),
    );
    return () => {
      isGone = true;
      resized.disconnect();
      plot?.destroy();
    };
  }, [times, lines]);
  return (
    <div class="chart" ref={box} role="img" aria-label={label}>
      {failure}
    </div>
  );
}
