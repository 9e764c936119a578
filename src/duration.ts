const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** `90s`, `1h30m`, `3d` in milliseconds; undefined: it is none. */
export function durationOf(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?[smhdw])+$/.test(text)) return undefined;
  const [counts, named] = [text.match(/[\d.]+/g) ?? [], text.match(/[smhdw]/g) ?? []];
  return named.reduce((sum, unit, index) => sum + Number(counts[index]) * (units[unit] ?? 0), 0);
}
