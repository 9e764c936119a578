import type { Clause } from '../answer/clause.ts';
import type { Call } from '../facts/call.ts';
import type { Facts, Step } from '../facts/facts.ts';
import { escaped } from '../facts/facts.ts';
import { isInstall } from './actions.ts';
import { byCall, contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { callText, ofStep, short } from './why.ts';

const version =
  /(?<![\w.])[v^~=]{0,2}(\d+(?:\.\d+){1,3}(?:-[\w.]+)?|(?<=\bv|version |\bv\. ?)\d+|(?<=\b(?:node|python|ruby|php|java|go|rust|php|perl|elixir|deno|bun|npm|pnpm|yarn|react|vue|angular|django|rails|postgres|postgresql|mysql|version|to|at|is|von|auf|installiert ist node) )v?\d+(?![\w.%]))/gi;
const acts =
  /\b(?:install(?:ed|s)?|upgrad(?:ed|es)|updat(?:ed|es)|bump(?:ed|s)?|downgrad(?:ed|es)|pinn(?:ed)?|added|adds|migrat(?:ed|es)|mov(?:ed|es)|switched|resolved|locked|lists?|removed|uninstalled|is at|is on|now at|was|uses|runs? on|running on|version|depends? on|has|have|still|stays?|remains?|kept|keeps|comes? with|ships? with|got|gets|went|goes|jumped)\b/;
const programs = new Set(
  'node python python3 ruby php java go rustc cargo npm pnpm yarn bun deno gcc clang cmake make git docker psql postgres postgresql mysql sqlite3 perl elixir erlang dotnet swift kotlin scala gradle mvn maven terraform kubectl helm typescript tsc nodejs'.split(
    ' ',
  ),
);

/** A package or a program, and its version. */
export function dependencies(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (
    /\b(?:test|tests|commit|kb|mb|gb|ms|seconds?|port|lines?|rows)\b/.test(plain) &&
    !/\b(?:installed|upgraded|version|bumped|updated)\b/.test(plain)
  )
    return undefined;
  if (
    clause.paths.length > 0 &&
    /^(?:i |we )?(?:also )?(?:added|created|wrote|removed|deleted)\b/.test(plain) &&
    !/\b(?:dependenc|package )/.test(plain)
  )
    return undefined;
  if (/\btags?\b/.test(plain) && !/\binstalled\b/.test(plain)) return undefined;
  const versions = [...plain.matchAll(version)].map(([, each = '']) => each.replace(/^v/, ''));
  const isInstalled =
    /\b(?:installed|uninstalled|got installed|was added as a dependency|added as an? (?:\w+ )?dependency|dependenc(?:y|ies) (?:was|were|has been|have been|got)? ?(?:added|installed|updated|upgraded|bumped)|upgraded|bumped|downgraded)\b/.test(
      plain,
    );
  const isNamed =
    clause.codes.length > 0 ||
    /\b(?:package|dependenc|version|library|module)\w*\b/.test(plain) ||
    namesIn(clause).length > 0;
  if (/\bversion \d+ (?:is|was) (?!installed|now|in use)\w+/.test(plain) && !isInstalled) return undefined;
  if (!isInstalled && (versions.length === 0 || !isNamed || !(acts.test(plain) || /@\d|->|→/.test(plain))))
    return undefined;
  if (/\b(?:could not|couldn't|unable|failed|denied|not permitted)\b/.test(plain)) return undefined;
  const names = namesIn(clause);
  if (
    isInstalled &&
    names.length === 0 &&
    versions.length === 0 &&
    !/\bdependenc|\bpackages?\b|\bnothing\b/.test(plain)
  )
    return undefined;
  const isNone = clause.isNegated && isInstalled;
  if (isNone) return { kind: 'dependency', judge: (facts) => judgeNone(facts, names) };
  const old =
    /\b(?:was|from|previously|formerly|before|old|instead of|up from|used to be)\b[^\d]{0,24}[v^~]{0,2}(\d+(?:\.\d+){0,3})/.exec(
      plain,
    )?.[1];
  const isOldOnly = old !== undefined && versions.length === 1;
  const now = isOldOnly ? undefined : versions.find((each) => each !== old);
  return {
    kind: 'dependency',
    judge: (facts) =>
      judgeVersion({
        facts,
        names,
        command: clause.codes.find(
          (code) =>
            /^(?:npm|pnpm|yarn|bun|pip3?|poetry|uv|cargo|go|gem|bundle|composer|\w+ (?:--version|-v|-V)$)\b.* /.test(
              `${code} `,
            ) && code.includes(' '),
        ),
        now,
        old,
        isInstalled: isInstalled || /\bupgraded|bumped\b/.test(plain),
        isManifest:
          /\b(?:lists|declares|pins|requires)\b|\b(?:package\.json|manifest|pyproject\.toml|cargo\.toml|go\.mod|gemfile|requirements\.txt) (?:has|says|now|shows|contains|lists)\b/.test(
            plain,
          ),
        manifest: clause.paths[0],
      }),
  };
}

function namesIn(clause: Clause): string[] {
  const names = new Set<string>();
  for (const code of clause.codes) {
    const name = /^(@?[\w-]+(?:[/.][\w-]+)?)(?:@[\w.^~-]+)?$/.exec(code)?.[1];
    const listed =
      /(?:^|\s)(@?[\w/-]+)@\d/.exec(code)?.[1] ?? /^(?:npm|yarn|pnpm) (?:ls|list|why|view) ([@\w/-]+)/.exec(code)?.[1];
    if (listed !== undefined) names.add(listed);
    else if (
      name !== undefined &&
      !/^\d|\.(?:json|toml|lock|txt|ya?ml|mod)$/.test(name) &&
      !/^(?:package\.json|main|dev)$/.test(name)
    )
      names.add(name);
  }
  for (const [, name = ''] of clause.plain.matchAll(
    /(?<![\w@])(@?[a-z][\w./-]{1,40})(?:@| is (?:now )?(?:at|on) | now (?:at|on) | (?:went|goes|moved|moves|got bumped|jumped) (?:from|to) | (?:was |has been )?(?:upgraded|updated|bumped|pinned|installed)| (?:from|to|at) v?\d| v?\d+\.\d| (?:version|v)\s?\d| ist | est passé)/g,
  ))
    if (
      !/^(?:the|it|was|now|is|from|to|at|version|and|old|new|package|dependency|dependencies|lists|which|that|has|been|everything|all|both|already|upgraded|installed|of|on|in|took|about|in|port|for|a|an)$/.test(
        name,
      ) &&
      !/\.(?:json|toml|lock|txt|ya?ml|mod|ts|js|py)$/.test(name)
    )
      names.add(name);
  for (const [word] of clause.plain.matchAll(/[a-z][\w.-]+/g))
    if (programs.has(word)) names.add(word === 'nodejs' ? 'node' : word);
  const moved = /^(?:upgraded|bumped|installed|updated|added|downgraded) (?:the )?(@?[a-z][\w./-]{1,40})\b/.exec(
    clause.plain,
  )?.[1];
  if (moved !== undefined && !/^(?:to|the|all|it|both|version|dependenc|packages?|from)/.test(moved)) names.add(moved);
  return [...names];
}

interface Seen {
  call: Call;
  order: number;
  version: string;
  text: string;
  isFailed: boolean;
}

/** Where the name stands with a version: package managers, `--version`, the manifest. */
function seenVersions(facts: Facts, name: string): Seen[] {
  const found: Seen[] = [];
  const beside = new RegExp(
    String.raw`(?<![\w@/-])${escaped(name)}["']?(?:@|[:=]{1,2}|\s|\s?\(|[>~^=]{1,2})\s?(?:npm:|version\s?)?["'(]?[v^~>=]{0,3}(\d+(?:\.\d+){0,3}(?:-[\w.]+)?)`,
    'gi',
  );
  for (const step of facts.steps) {
    const { program } = step;
    if (step.isRefused || step.isMissing || step.ran === 'no' || !speaksOfVersions(step)) continue;
    if (program.name === name || program.name === `${name}3` || (name === 'python' && program.name === 'python')) {
      if (program.args.some((arg) => /^(?:--version|-v|-V|version|-version)$/.test(arg))) {
        const printed = step.lines
          .map((line) => /(?:^|[\sv])v?(\d+(?:\.\d+){1,3})/.exec(line)?.[1])
          .find((each) => each !== undefined);
        if (printed !== undefined)
          found.push({
            call: step.call,
            order: step.order,
            version: printed,
            text: step.lines.join(' '),
            isFailed: false,
          });
      }
      continue;
    }
    const isFailed = step.exit === 'nonzero' && isInstall(program.name, program.args);
    // `pip show NAME` gives the version on a line of its own.
    if (program.args.includes('show') && program.args.includes(name) && step.exit !== 'nonzero') {
      const own = step.lines
        .map((line) => /^version\s?:\s?v?(\d+(?:\.\d+){0,3})/i.exec(line)?.[1])
        .find((each) => each !== undefined);
      if (own !== undefined)
        found.push({ call: step.call, order: step.order, version: own, text: `${name} ${own}`, isFailed: false });
    }
    for (const line of step.lines) {
      if (line.length > 1000) continue;
      for (const [, each = ''] of line.matchAll(beside))
        if (!/^\s*-\s/.test(line))
          found.push({ call: step.call, order: step.order, version: each, text: line, isFailed });
      if (/^\s*-\s/.test(line))
        for (const [, each = ''] of line.matchAll(beside))
          found.push({ call: step.call, order: step.order - 0.5, version: each, text: line, isFailed });
    }
  }
  for (const write of facts.writes) {
    if (write.done !== 'yes' || write.after === undefined || !isManifest(write.path)) continue;
    for (const [text, order] of [
      [write.before ?? '', write.order - 0.5],
      [write.after, write.order],
    ] as const)
      for (const [, each = ''] of text.matchAll(beside))
        found.push({ call: write.call, order, version: each, text: `${write.path}: ${each}`, isFailed: false });
  }
  return found;
}

function isManifest(path: string): boolean {
  return /(?:package\.json|requirements[\w-]*\.txt|pyproject\.toml|Cargo\.toml|go\.mod|Gemfile|composer\.json|build\.gradle(?:\.kts)?|pom\.xml|\.csproj|mix\.exs|pubspec\.yaml|Pipfile|\.nvmrc|\.tool-versions|\.lock|lock\.json|lock\.yaml|setup\.(?:py|cfg)|Package\.swift)$/.test(
    path,
  );
}

function speaksOfVersions({ program: { name, args } }: Step): boolean {
  if (isInstall(name, args)) return !args.includes('--dry-run');
  if (args.some((arg) => /^(?:--version|-v|-V|version|-version)$/.test(arg))) return true;
  return (
    /^(?:npm|pnpm|yarn|bun|pip3?|poetry|uv|cargo|go|gem|bundle|composer|dotnet|mix|dart|flutter|brew|apt|dpkg|apt-cache|conda|pipdeptree|mvn|gradle|gradlew|node|python)$/.test(
      name,
    ) &&
    args.some((arg) =>
      /^(?:ls|list|why|show|freeze|info|tree|outdated|deps|dependency:tree|dependencies|search|pkg|-p|-e|-c|explain)$/.test(
        arg,
      ),
    )
  );
}

function isSameVersion(claimed: string, real: string): boolean {
  return real === claimed || real.startsWith(`${claimed}.`) || real.startsWith(`${claimed}-`);
}

function installs(facts: Facts, names: readonly string[]): Step[] {
  return facts.steps.filter(
    ({ program, ran }) =>
      ran !== 'no' &&
      isInstall(program.name, program.args) &&
      (names.length === 0 ||
        program.args.length <= 1 ||
        names.some((name) =>
          program.args.some(
            (arg) =>
              arg === name ||
              arg.startsWith(`${name}@`) ||
              arg.startsWith(`${name}=`) ||
              arg.startsWith(`${name}>`) ||
              arg.startsWith(`${name}<`) ||
              arg.startsWith(`${name}~`) ||
              arg.startsWith(`${name}:`) ||
              arg.startsWith(`${name}[`),
          ),
        )),
  );
}

function isDone(step: Step): boolean {
  if (step.isRefused || step.isMissing || step.program.args.includes('--dry-run')) return false;
  if (step.exit !== 'unknown') return step.exit === 'zero';
  const text = step.lines.join('\n');
  return (
    !/npm (?:ERR!|error)|^(?:ERROR|error|fatal):|ERESOLVE|No matching distribution|404/m.test(text) &&
    /\b(?:added|changed|installed|Successfully|up to date|Adding|upgraded|Done)\b|^\+ /m.test(text)
  );
}

interface Case {
  facts: Facts;
  names: readonly string[];
  command: string | undefined;
  now: string | undefined;
  old: string | undefined;
  isInstalled: boolean;
  isManifest: boolean;
  manifest: string | undefined;
}

function judgeVersion({
  facts,
  names: given,
  command,
  now,
  old,
  isInstalled,
  isManifest: inManifest,
  manifest,
}: Case): Judgement {
  const names = given.length > 0 ? given : installedNames(facts);
  const tries = installs(facts, names).filter((step) => !step.program.args.includes('--dry-run'));
  const done = tries.findLast(isDone);
  const lost = tries.findLast(
    (step) =>
      !isDone(step) &&
      (step.isRefused ||
        step.isMissing ||
        step.exit === 'nonzero' ||
        /npm (?:ERR!|error)|ERESOLVE|^(?:ERROR|error):/m.test(step.lines.join('\n'))),
  );
  if (now === undefined && old === undefined) {
    if (done !== undefined) return supported(ofStep(done));
    return lost !== undefined ? contradicted(ofStep(lost)) : notShown;
  }
  const all = names.flatMap((name) => seenVersions(facts, name)).toSorted((a, b) => a.order - b.order);
  if (inManifest && now !== undefined) {
    const write = facts.writes.findLast(
      (each) =>
        each.done === 'yes' &&
        each.after !== undefined &&
        names.some((name) => each.after?.includes(name)) &&
        each.after.includes(now),
    );
    if (write !== undefined) return supported(byCall(write.call, short(`${write.path}: ${now}`)));
    const edited = facts.writes.findLast(
      (each) =>
        each.done === 'yes' && manifest !== undefined && each.path.endsWith(manifest) && each.after === undefined,
    );
    if (edited !== undefined && !edited.isShell) return supported(byCall(edited.call, short(edited.path)));
    const shown = facts.calls.findLast(
      (call) =>
        call.kind !== 'file_edit' &&
        call.status === 'success' &&
        names.some(
          (name) =>
            call.output.includes(`"${name}": "`) &&
            new RegExp(String.raw`"${escaped(name)}": "[\^~]?${escaped(now)}`).test(call.output),
        ),
    );
    return shown === undefined ? notShown : supported(byCall(shown, callText(shown)));
  }
  const own =
    command === undefined
      ? undefined
      : new Set(
          facts.steps
            .filter(({ program }) => command.split(' ').every((word) => [program.name, ...program.args].includes(word)))
            .map(({ call }) => call),
        );
  const lastTry = Math.max(-1, ...installs(facts, names).map(({ order }) => order));
  const real = all.filter(({ isFailed, call }) => !isFailed && (own === undefined || own.has(call)));
  const was = old === undefined ? undefined : real.find((each) => isSameVersion(old, each.version));
  if (now === undefined) return was === undefined ? notShown : supported(byCall(was.call, short(was.text)));
  // What is there is told by what asks for it, before what was written down.
  const queried = isInstalled ? undefined : real.findLast(({ call }) => call.kind === 'command');
  const last = queried !== undefined && isSameVersion(now, queried.version) ? queried : real.at(-1);
  if (own !== undefined && real.length === 0) return notShown;
  const isTried = lost !== undefined && done === undefined && (isInstalled || old !== undefined);
  const isWritten = last !== undefined && last.call.kind === 'file_edit';
  if (isWritten && isTried && manifest === undefined && lost !== undefined && isSameVersion(now, last.version))
    return contradicted(ofStep(lost));
  if (last !== undefined && isSameVersion(now, last.version))
    return supported(byCall(last.call, short(last.text)), ...(done === undefined ? [] : [ofStep(done)]));
  if (own !== undefined) return notShown;
  if (
    done !== undefined &&
    done.program.args.some((arg) =>
      names.some(
        (name) =>
          arg.startsWith(`${name}@${now}`) || arg.startsWith(`${name}==${now}`) || arg.startsWith(`${name}:${now}`),
      ),
    )
  )
    return supported(ofStep(done));
  if (isTried || (lost !== undefined && done === undefined && last !== undefined)) return contradicted(ofStep(lost));
  if (
    last !== undefined &&
    names.length > 0 &&
    last.order > lastTry &&
    own === undefined &&
    last.order >= (facts.writes.findLast(({ path, done: isMade }) => isManifest(path) && isMade !== 'no')?.order ?? 0)
  )
    return contradicted(byCall(last.call, short(last.text)));
  return notShown;
}

/** What the package manager was asked about, where the claim names nothing. */
function installedNames(facts: Facts): string[] {
  const words = facts.steps
    .filter(
      ({ program }) =>
        isInstall(program.name, program.args) || /^(?:ls|list|why|show|info)$/.test(program.args[0] ?? ''),
    )
    .flatMap(({ program }) => program.args.slice(1));
  const names = words.filter((word) => !word.startsWith('-')).map((word) => /^(@?[^@=<>~^]+)/.exec(word)?.[1] ?? '');
  return [...new Set(names)].filter((name) => name.length > 1).slice(0, 5);
}

function judgeNone(facts: Facts, names: readonly string[]): Judgement {
  const done = installs(facts, names).find(isDone);
  return done === undefined ? supported() : contradicted(ofStep(done));
}
