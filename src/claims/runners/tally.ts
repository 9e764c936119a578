/** What a runner's own summary says of a test run; a number that is not told is absent. */
export interface Tally {
  /** The runner whose words these are. */
  tool: string;
  passed?: number;
  failed?: number;
  skipped?: number;
  total?: number;
  /** Absent: it says numbers only. */
  isPass?: boolean;
  /** One line of it alone excludes failures. */
  excludesFailures: boolean;
  /** Something else that it counts: test files or suites. */
  suites?: number;
  suitesFailed?: number;
  /** The line that says it. */
  line: string;
}

/** How one runner sums up. */
export interface SummaryReader {
  tool: string;
  /** A cheap test of a line, before any other. */
  hint: RegExp;
  /** What a line adds to what was read so far. */
  read(line: string, sum: Sum): void;
}

export class Sum {
  passed: number | undefined;
  failed: number | undefined;
  skipped: number | undefined;
  total: number | undefined;
  isPass: boolean | undefined;
  excludesFailures = false;
  suites: number | undefined;
  suitesFailed: number | undefined;
  line = '';

  add(
    name: 'passed' | 'failed' | 'skipped' | 'total' | 'suites' | 'suitesFailed',
    value: string | number | undefined,
  ): void {
    if (value === undefined) return;
    this[name] = (this[name] ?? 0) + Number(value);
  }

  put(
    name: 'passed' | 'failed' | 'skipped' | 'total' | 'suites' | 'suitesFailed',
    value: string | number | undefined,
  ): void {
    if (value !== undefined) this[name] = Number(value);
  }

  /** A failure outweighs a pass of another part. */
  says(isPass: boolean): void {
    this.isPass = this.isPass === false ? false : isPass;
  }

  saw(line: string): void {
    const text = line.trim();
    if (text !== '') this.line = cutLine(text);
  }

  tally(tool: string): Tally | undefined {
    if (this.line === '') return undefined;
    const total = this.total ?? sumOf(this.passed, this.failed, this.skipped);
    const { failed } = this;
    const isPass =
      this.isPass === false || (failed ?? 0) > 0
        ? false
        : (this.isPass ?? (this.passed === undefined && failed !== 0 ? undefined : true));
    return {
      tool,
      excludesFailures: this.excludesFailures,
      line: this.line,
      ...pick({
        passed: this.passed ?? passedOf(this.total, failed, this.skipped, isPass),
        failed,
        skipped: this.skipped,
        total,
      }),
      ...pick({ suites: this.suites, suitesFailed: this.suitesFailed }),
      ...(isPass === undefined ? {} : { isPass }),
    };
  }
}

export function cutLine(line: string, limit = 200): string {
  return line.length <= limit ? line : [line.slice(0, limit - 1).toWellFormed(), '…'].join('');
}

function passedOf(
  total: number | undefined,
  failed: number | undefined,
  skipped: number | undefined,
  isPass: boolean | undefined,
): number | undefined {
  if (total === undefined) return undefined;
  if (failed === undefined && isPass !== true) return undefined;
  return Math.max(0, total - (failed ?? 0) - (skipped ?? 0));
}

function sumOf(...numbers: readonly (number | undefined)[]): number | undefined {
  return numbers[0] === undefined ? undefined : numbers.reduce<number>((sum, each) => sum + (each ?? 0), 0);
}

function pick<T extends Record<string, number | undefined>>(fields: T): { [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: number;
  };
}
