/** A configured time, for use in a sentence: `0.5 s`, `1 min 30 s`, `2 h`. */
export function timeInWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const parts = [
    [Math.floor(minutes / 60), 'h'],
    [minutes % 60, 'min'],
    [Number(((ms % 60_000) / 1000).toFixed(3)), 's'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return shown.length === 0 ? '0 s' : shown.join(' ');
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** `90s`, `1h30m`, `3d` in milliseconds; undefined: not a duration. */
export function durationOf(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?[smhdw])+$/.test(text)) return undefined;
  const [counts, named] = [text.match(/[\d.]+/g) ?? [], text.match(/[smhdw]/g) ?? []];
  const ms = named.reduce((sum, unit, index) => sum + Number(counts[index]) * (units[unit] ?? 0), 0);
  // 515.507 times 1000 is a little less than 515507.
  return Math.round(ms * 1e6) / 1e6;
}
