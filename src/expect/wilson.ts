/** The quantile of the normal distribution for 95 %. */
const z = 1.959963984540054;

/** How often something passes, and the range of the true rate with 95 % confidence (Wilson interval). */
export function passRate(
  passed: number,
  runs: number,
): { passed: number; runs: number; rate: number; low: number; high: number } {
  if (runs === 0) return { passed, runs, rate: 0, low: 0, high: 1 };
  const rate = passed / runs;
  const square = (z * z) / runs;
  const middle = (rate + square / 2) / (1 + square);
  const half = (z / (1 + square)) * Math.sqrt((rate * (1 - rate)) / runs + square / (4 * runs));
  return {
    passed,
    runs,
    rate,
    low: passed === 0 ? 0 : Math.max(0, middle - half),
    high: passed === runs ? 1 : Math.min(1, middle + half),
  };
}
