import { cutLine } from './tally.ts';

/** What linters, type checkers and builds print. */
export interface Complaints {
  /** Its own words say that it is clean, or that it is not; absent: neither. */
  isClean?: boolean;
  errors?: number;
  warnings?: number;
  /** The line that says so. */
  line: string;
}

const clean: readonly RegExp[] = [
  /^\W{0,6}All checks passed/i,
  /Success: no issues found/,
  /^\W{0,6}no (?:issues|problems|errors|lint errors|offenses|offences|warnings)\b(?: (?:found|detected|or warnings))?/i,
  /\bno offenses detected/,
  /All matched files use Prettier code style/,
  /\b0 errors(?:, 0 warnings)?(?:, 0 informations)?\b/i,
  /^Found 0 (?:errors|warnings|problems|issues)/i,
  /^\s{0,4}0 issues?\.?\s*$/,
  /^\W{0,6}\[OK\] No errors/,
  /rated at 10(?:\.00)?\/10/,
  /^Checked \d+ files? in [^.]{1,20}\. No fixes (?:applied|needed)/,
  /\d+ files? (?:already formatted|would be left unchanged|left unchanged)\.?$/,
  /^All done! /,
  /No ESLint warnings or errors/i,
  /^\W{0,6}(?:Lint|Linting|Typecheck|Type check)(?:ing)? (?:passed|succeeded|ok|successful)/i,
  /^svelte-check found 0 errors/,
  /^\W{0,6}no (?:type )?errors?\b/i,
  /^Analysis OK|^No issues found!/,
  /\b0 (?:errors?|problems?|issues?|findings?|violations?|warnings?) (?:found|detected|reported)/i,
  /^\W{0,4}(?:ruff|eslint|mypy|flake8|black|isort|prettier|tsc|pylint|clippy)\b[^\n]{0,80}\bPassed$/,
];

const dirty: readonly RegExp[] = [
  /^Found [1-9]\d* (?:errors?|problems?|issues?|warnings?|violations?|diagnostics?)/i,
  /^\W{0,6}[1-9]\d* (?:problems?|errors?|issues?|violations?|findings?)\b/i,
  /\b[1-9]\d* offen[sc]es? detected/,
  /\berror TS\d+/,
  /^\s{0,4}error(?:\[E\d+\])?: /,
  /^\[warn\] Code style issues/,
  /Code style issues (?:found|fixed)/,
  /\bwould (?:reformat|be reformatted)\b/,
  /found too many warnings/,
  /^[\w./\\@-]{1,300}:\d+(?::\d+)?:? ?-? {0,4}(?:\w+ ?)?(?:error|warning|[A-Z]{1,4}\d{2,5})\b/i,
  /^[\w./\\@-]{1,300}\(\d+,\d+\): (?:error|warning)/,
  /^[\w./\\@-]{1,300}\.\w{1,5}:\d+(?::\d+)?: \S/,
  /^\s{2,8}\d+:\d+\s{1,8}(?:error|warning)\s/,
  /\b[1-9]\d* errors?(?:,| and|\.|$)/i,
  /\bfound [1-9]\d* (?:errors?|problems?|vulnerabilit)/i,
  /^\W{0,4}Failed to compile/,
  /Your code has been rated at \d(?:\.\d+)?\/10/,
];

const built: readonly RegExp[] = [
  /\bBUILD SUCCESS(?:FUL)?\b/,
  /^\W{0,4}built in [\d.]+ ?m?s/,
  /\bBuild succeeded\b/i,
  /\bCompiled successfully\b/i,
  /compiled (?:successfully|with \d+ warnings?)/i,
  /^\s{0,6}Finished (?:`?\w+`? profile|dev|release|test)\b/,
  /^Build complete!/,
  /\*\* BUILD SUCCEEDED \*\*/,
  /^\W{0,4}(?:Build|Compilation|Bundling|Bundle) (?:success(?:ful)?|complete[d]?|finished|done|passed)\b/i,
  /^(?:Successfully built|Successfully tagged|naming to|writing image) /i,
  /\bBuilt target \w/,
  /^Build completed successfully/i,
  /^ ?(?:ESM|CJS|DTS) ⚡️ Build success/,
  /^Successfully (?:compiled|ran target)/i,
  /^Generating static pages|^\W{0,4}Compiled in [\d.]+/,
];

const broken: readonly RegExp[] = [
  /\bBUILD FAIL(?:ED|URE)\b/i,
  /^\W{0,6}Build failed\b/i,
  /^\W{0,4}(?:Failed to compile|Compilation failed|Compilation error)/i,
  /^error: (?:could not compile|build failed)/,
  /^make(?:\[\d+\])?: \*\*\* /,
  /^ninja: build stopped/,
  /^(?:npm ERR!|npm error) /,
  /ELIFECYCLE|\bERR_PNPM_RECURSIVE/,
  /^[@\w./-]{1,100} (?:build|compile|bundle)(?:\$|:) {0,2}(?:Failed|.{0,40}\bfailed\b)/i,
  /^(?:Exit status|exited with(?: code)?|exit code:?) [1-9]\d{0,2}$/i,
  /\*\* BUILD FAILED \*\*/,
  /\berror TS\d+/,
  /^error\[E\d+\]/,
  /^ERROR in /,
  /\bfatal error:/,
  /^[\w./\\@+-]{1,300}:\d+:(?:\d+:)? (?:fatal )?error: /,
  /^\[ERROR\] COMPILATION ERROR/,
  /^error: builder for/,
  /^\W{0,4}(?:error during build|\[vite|\[rollup|RollupError|\[ERROR\])/i,
  /^Error: (?:Build|Command|Cannot find module)/,
];

export function complaintsIn(lines: readonly string[], isBuild: boolean): Complaints {
  const found: Complaints = { line: '' };
  for (const line of lines) {
    if (line.length > 2000 || line.trim() === '') continue;
    const isBad = (isBuild ? broken : dirty).some((each) => each.test(line));
    const isGood = !isBad && (isBuild ? built : clean).some((each) => each.test(line));
    const counted = /(?:^|[^\d.:])(\d+) (?:errors?|problems?|issues?|offen[sc]es?|findings?|violations?)\b/i.exec(
      line,
    )?.[1];
    const warned = /(?:^|[^\d.:])(\d+) warnings?\b/i.exec(line)?.[1];
    if (counted !== undefined) found.errors = Number(counted);
    if (warned !== undefined) found.warnings = Number(warned);
    if (isBad) {
      found.isClean = false;
      found.line = line.trim();
    } else if (isGood && found.isClean === undefined) {
      found.isClean = true;
      found.line = line.trim();
    }
  }
  if (found.line === '') found.line = (lines.findLast((line) => line.trim() !== '') ?? '').trim();
  found.line = cutLine(found.line);
  return found;
}
