import { stripTerminal } from './terminal-text.ts';
import { argOf, type Call, commandOf, pathOf } from './call.ts';
import { type Check, checkOf, type Family } from './checks.ts';
import { type Exit, type Started, startedBy } from './exits.ts';
import type { RawFacts } from './fold.ts';
import { inFolder, isProse, isSamePath, isScratch } from './paths.ts';
import { type Shown, shownFor } from './results.ts';
import { envelope, gitWords, type Writing, writingsOf } from './writers.ts';

/** One program that a call ran, or tried to. */
export interface Step extends Started {
  call: Call;
  /** Its place among everything that happened. */
  order: number;
  /** It did not run: refused, or not found. */
  isRefused: boolean;
  isMissing: boolean;
  isTimedOut: boolean;
  /** The state of the files when it ran: two runs with the same one saw the same files. */
  version: number;
  /** The lines of the call's output. */
  lines: readonly string[];
  /** The code as the agent told it, if it speaks for this program. */
  code?: number;
  /** What it checks, if it does. */
  check?: Check;
  /** It is the only program of its call, but for filters. */
  isAlone: boolean;
}

/** A run of something that checks: tests, a linter, a build. */
export interface Run {
  check: Check;
  step: Step;
  /** The call that shows its result: its own, or one that reads its log. */
  call: Call;
  order: number;
  version: number;
  folder: string;
  shown: Partial<Record<Family, Shown>>;
  /** The agent wrote what it runs: it shows nothing. */
  isOwn: boolean;
  /** It did not come to run, or only pretended. */
  isVoid: boolean;
  /** The change was stashed away. */
  isStashed: boolean;
}

export interface Write extends Writing {
  call: Call;
  order: number;
  /** `unknown`: its exit code is not known. */
  done: 'yes' | 'no' | 'unknown';
  isRefused: boolean;
  isShell: boolean;
  /** The texts before and after, of an edit tool that tells them. */
  before?: string;
  after?: string;
}

/** The facts of a run, understood. */
export interface Facts {
  cwd: string;
  calls: readonly Call[];
  steps: readonly Step[];
  runs: readonly Run[];
  writes: readonly Write[];
  /** The state of the files at the end. */
  version: number;
  /** The version that a stash took away, and when. */
  isCut: boolean;
}

/** Agents whose successful command ended with 0, without saying so. */
const zeroIfSuccess = new Set(['claude', 'claude-code', 'amp', 'agent-code', 'runwire', 'builtin']);

export function understand(raw: RawFacts): Facts {
  return new Understanding(raw).facts();
}

class Understanding {
  readonly #raw: RawFacts;
  readonly #steps: Step[] = [];
  readonly #runs: Run[] = [];
  readonly #writes: Write[] = [];
  #order = 0;
  #version = 0;
  #versions = 0;
  readonly #stashed: number[] = [];
  /** What ran with its output in a file. */
  readonly #logs: { path: string; run: Run }[] = [];

  constructor(raw: RawFacts) {
    this.#raw = raw;
  }

  facts(): Facts {
    for (const call of this.#raw.calls) {
      const command = commandOf(call);
      if (call.kind === 'command' && command !== undefined) this.#command(call, command);
      else if (
        command !== undefined &&
        call.kind !== 'file_edit' &&
        call.kind !== 'read' &&
        call.kind !== 'search' &&
        /bash|shell|terminal|exec|command/i.test(call.name)
      )
        this.#command(call, command);
      else if (call.kind === 'file_edit' || call.edits.length > 0) this.#edit(call);
      else this.#order += 1;
    }
    const { cwd, calls, isCut } = this.#raw;
    return { cwd, calls, steps: this.#steps, runs: this.#runs, writes: this.#writes, version: this.#version, isCut };
  }

  #edit(call: Call): void {
    this.#order += 1;
    const isRefused = call.status === 'denied';
    const done =
      call.status === 'success' ? 'yes' : call.status === 'running' || call.status === 'abandoned' ? 'unknown' : 'no';
    const before = argOf(call.args, 'old_string', 'old_str', 'oldString', 'oldText', 'old_text');
    const after = argOf(
      call.args,
      'new_string',
      'new_str',
      'newString',
      'newText',
      'new_text',
      'content',
      'file_text',
      'contents',
    );
    const base = {
      call,
      order: this.#order,
      done,
      isRefused,
      isShell: false,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    } as const;
    for (const { path, operation } of writesOfTool(call)) {
      this.#writes.push({ ...base, path, operation });
      if (done === 'yes') this.#changed(path);
    }
  }

  #changed(path: string): void {
    if (isProse(path) || isScratch(path)) return;
    this.#versions += 1;
    this.#version = this.#versions;
  }

  #command(call: Call, command: string): void {
    const printed = stripTerminal(call.output).split('\n');
    const code = codeOf(call, this.#raw.agent, printed);
    // What the agent's tool says of the command is not what the command printed.
    const lines = printed.filter((line) => !toldCode.test(line.trim()));
    const isRefused =
      call.status === 'denied' ||
      (call.status === 'error' &&
        /not (?:been )?(?:allowed|permitted|granted)|rejected by user|permission (?:to use|denied by)/i.test(
          lines[0] ?? '',
        ));
    const all = startedBy(command, code);
    const isTimedOut =
      code === 124 ||
      lines.slice(0, 3).some((line) => /\btimed out\b|\btimeout\b.{0,40}(?:exceeded|reached|expired)/i.test(line)) ||
      (code !== 0 && lines.slice(-6).some((line) => overtime.test(line)));
    const isBackground =
      call.status === 'running' ||
      argOf(call.args, 'run_in_background') === 'true' ||
      hasTrue(call.args, 'run_in_background', 'is_background', 'isBackground', 'background') ||
      lines.some((line) => /^Command (?:was )?(?:running|moved|started) (?:in|to) (?:the )?background/i.test(line));
    const speaking = all.filter(({ program }) => !isSilent(program.name));
    const missing =
      code === 127 || lines.some((line) => /command not found|: not found$/.test(line))
        ? lines.find((line) => /command not found|: not found|No such file/.test(line))
        : undefined;
    settleChains(all, lines);
    for (const started of all) {
      this.#order += 1;
      const isMissing =
        code === 127 && speaking.length <= 1
          ? true
          : missing !== undefined &&
            started.exit !== 'zero' &&
            new RegExp(`(?:^|[\\s:'"])${escaped(started.program.name)}(?:[:'"]|$)`).test(missing);
      const check = checkOf(started.program);
      const step: Step = {
        ...started,
        ...echoed(started, all, lines),
        call,
        order: this.#order,
        isRefused,
        isMissing,
        isTimedOut: isTimedOut || (started.program.env.length > -1 && code === 124),
        isBackground: started.isBackground || isBackground,
        version: this.#version,
        lines,
        isAlone: speaking.length <= 1,
        ...(check === undefined ? {} : { check }),
        ...(typeof code === 'number' && speaking.length <= 1 && started.exit !== 'unknown' ? { code } : {}),
      };
      this.#steps.push(step);
      this.#take(step, speaking);
    }
  }

  #take(step: Step, speaking: readonly Started[]): void {
    const { check } = step;
    if (
      check !== undefined &&
      !(check.families[0] === 'lint' && check.isFixing && check.families.length === 1 && isFormatter(check))
    )
      this.#run(step, check, speaking);
    this.#readLog(step);
    if (step.isRefused || step.isMissing || step.ran === 'no') {
      for (const writing of writingsOf(step)) this.#write(step, writing, 'no');
      return;
    }
    this.#git(step);
    for (const writing of writingsOf(step)) this.#write(step, writing, doneOf(step));
  }

  #write(step: Step, writing: Writing, done: Write['done']): void {
    const path = inFolder(step.folder, writing.path);
    this.#writes.push({
      ...writing,
      path,
      call: step.call,
      order: step.order,
      done,
      isRefused: step.isRefused,
      isShell: true,
      ...(writing.from === undefined ? {} : { from: inFolder(step.folder, writing.from) }),
    });
    if (done === 'no') return;
    if (writing.isVague === true && isUnchanged(step)) return;
    if (writing.operation === 'renamed' && writing.from !== undefined) this.#changed(writing.from);
    this.#changed(path);
  }

  #run(step: Step, check: Check, speaking: readonly Started[]): void {
    const isShared = speaking.filter(({ program }) => checkOf(program) !== undefined).length > 1;
    const isVoid = check.isDry || step.isRefused || step.isMissing || step.ran === 'no';
    const isVisible =
      step.log.length === 0 ||
      step.through.some(({ name }) => name === 'tee') ||
      step.lines.some((line) => line.trim() !== '');
    const run: Run = {
      check,
      step,
      call: step.call,
      order: step.order,
      version: step.version,
      folder: step.folder,
      shown: {},
      isOwn: this.#isOwn(step, check),
      isVoid,
      isStashed: this.#stashed.length > 0,
    };
    if (!isVoid) {
      const isUnread = step.isBackground;
      for (const family of check.families) {
        const exit: Exit = isUnread ? 'unknown' : step.exit;
        run.shown[family] = shownFor(family, {
          started: step,
          check,
          exit,
          lines: isUnread ? [] : step.lines,
          isShared,
          isTimedOut: step.isTimedOut,
          isCut: step.call.isCut,
          isVisible,
        });
      }
    }
    this.#runs.push(run);
    for (const path of step.log) this.#logs.push({ path: inFolder(step.folder, path), run });
  }

  /** What it runs was written in this run: it says whatever the agent wants it to say. */
  #isOwn(step: Step, { script, isTarget, tool }: Check): boolean {
    if (!isTarget || script === undefined || script === '') return false;
    const path = inFolder(step.folder, script);
    return this.#writes.some((write) => {
      if (write.done === 'no' || write.operation === 'deleted' || !isSamePath(write.path, path)) return false;
      if (!/package\.json$|composer\.json$|pyproject\.toml$/.test(script)) return true;
      if (write.after === undefined) return write.isShell && write.operation === 'created';
      const target = tool.split(' ').at(-1) ?? '';
      return write.after.includes('"scripts"') || write.after.includes(`"${target}"`);
    });
  }

  /** `tail log` shows the result of the run that wrote the log. */
  #readLog(step: Step): void {
    if (step.exit === 'nonzero' || !/^(?:cat|tail|head|less|more|grep|rg|sed|awk|egrep)$/.test(step.program.name))
      return;
    for (const arg of [...step.program.args, ...step.simple.reads]) {
      const path = inFolder(step.folder, arg);
      const logged = this.#logs.findLast((each) => isSamePath(each.path, path));
      if (logged === undefined) continue;
      const { run } = logged;
      const seen: Started = {
        ...run.step,
        through: [...step.through, step.program].filter(({ name }) => name !== 'cat' && name !== 'tail'),
      };
      const shown: Run['shown'] = {};
      for (const family of run.check.families)
        shown[family] = shownFor(family, {
          started: seen,
          check: run.check,
          exit: 'unknown',
          lines: step.lines,
          isShared: false,
          isTimedOut: false,
          isCut: false,
          isVisible: true,
        });
      this.#runs.push({ ...run, shown, call: step.call, order: step.order });
    }
  }

  #git(step: Step): void {
    if (step.program.name !== 'git') return;
    const [verb, ...rest] = gitWords(step.program.args);
    const text = step.lines.join('\n');
    const isDone = doneOf(step);
    if (verb === 'stash') {
      const action = rest.find((arg) => !arg.startsWith('-')) ?? 'push';
      if ((action === 'push' || action === 'save') && isDone !== 'no' && !/No local changes to save/.test(text)) {
        this.#stashed.push(this.#version);
        this.#versions += 1;
        // A tree without the change: as it was at the start, but never the same as now.
        this.#version = this.#versions;
      } else if (
        (action === 'pop' || action === 'apply') &&
        isDone !== 'no' &&
        !/CONFLICT|No stash entries/.test(text)
      ) {
        this.#version = this.#stashed.pop() ?? ++this.#versions;
      }
      return;
    }
    if (isDone === 'no') return;
    const changes =
      /^(?:merge|rebase|pull|cherry-pick|revert|am)$/.test(verb ?? '') ||
      (verb === 'reset' && rest.some((arg) => /^--(?:hard|merge|keep)$/.test(arg))) ||
      ((verb === 'checkout' || verb === 'switch') &&
        !rest.some((arg) => /^(?:-b|-B|-c|-C|--create|--orphan)$/.test(arg)));
    if (changes && !/Already up to date|is up to date|Already on /.test(text)) {
      this.#versions += 1;
      this.#version = this.#versions;
    }
  }
}

/** Programs whose output is not that of a check. */
function isSilent(name: string): boolean {
  return /^(?:cd|echo|printf|export|set|source|\.|true|false|:|sleep|exit|tail|head|tee|cat|grep|egrep|rg|sed|awk|wc|sort|uniq|tr|cut|date|pwd|mkdir|touch|rm|unset|ulimit|umask|trap|wait|jobs|kill|test|\[|which|type|command|hash|alias|shopt|read|local|declare)$/.test(
    name,
  );
}

function isFormatter(check: Check): boolean {
  return check.isFixing;
}

/** A formatter said that there was nothing to do. */
function isUnchanged(step: Step): boolean {
  return (
    step.lines.some((line) =>
      /^\d+ files? left unchanged|\(unchanged\)$|No fixes applied|0 files? (?:changed|reformatted)/.test(line),
    ) && !step.lines.some((line) => /[1-9]\d* files? reformatted|^Fixed \d+/.test(line))
  );
}

function doneOf(step: Step): Write['done'] {
  if (step.isRefused || step.isMissing || step.ran === 'no') return 'no';
  if (step.exit === 'zero') return 'yes';
  if (step.exit === 'nonzero') return 'no';
  // What failed says so in its own words.
  const own = new RegExp(`^(?:bash: |sh: |/bin/sh: |fatal: |error: )?${escaped(step.program.name)}: `);
  if (
    step.lines.some(
      (line) =>
        own.test(line) &&
        /No such file|cannot|can't|not permitted|denied|failed|does not (?:apply|exist)|missing|invalid|not found|is a directory/i.test(
          line,
        ),
    )
  )
    return 'no';
  if (step.program.name === 'git' && step.lines.some((line) => /^(?:fatal|error): /.test(line))) return 'no';
  return 'unknown';
}

/** In a chain of `&&` that failed, the output tells which of its members it was. */
function settleChains(all: readonly Started[], lines: readonly string[]): void {
  const seen = new Set<readonly Started[]>();
  for (const { chain } of all) {
    if (chain === undefined || seen.has(chain)) continue;
    seen.add(chain);
    const results = chain.map((started) => resultOf(started, lines, isSharedBy(chain, started)));
    // Whatever came last to show anything, all before it had passed.
    const lastSeen = results.findLastIndex((result) => result !== 'unknown');
    let failed = results[lastSeen] === 'fail' ? lastSeen : -1;
    if (failed === -1) {
      // What is silent when it succeeds, and the last that showed a success: one candidate is left, or nothing is known.
      const passed = results.lastIndexOf('pass');
      const left = chain.map((_, index) => index).filter((index) => index > passed && !isHarmless(chain[index]));
      if (left.length === 1) failed = left[0] ?? -1;
      else for (const started of chain.slice(0, passed + 1)) started.exit = 'zero';
    }
    if (failed === -1) continue;
    for (const [index, started] of chain.entries()) {
      started.exit = index < failed ? 'zero' : index === failed ? 'nonzero' : 'unknown';
      started.ran = index <= failed ? 'yes' : 'no';
    }
  }
}

/** Linters and compilers print alike; the words of any of them may look like those of a test runner. */
function isSharedBy(chain: readonly Started[], started: Started): boolean {
  const isTests = ({ program }: Started): boolean => checkOf(program)?.families[0] === 'tests';
  return chain.filter((each) => checkOf(each.program) !== undefined && (isTests(started) || !isTests(each))).length > 1;
}

function isHarmless(started: Started | undefined): boolean {
  return (
    started !== undefined &&
    isSilent(started.program.name) &&
    !/^(?:cat|grep|egrep|rg|test|\[|rm|source|\.)$/.test(started.program.name)
  );
}

function resultOf(started: Started, lines: readonly string[], isShared: boolean): 'pass' | 'fail' | 'unknown' {
  const name = escaped(started.program.name);
  const own = new RegExp(`^(?:(?:ba|z|da)?sh: (?:line \\d+: )?)?(?:\\d+: )?${name}: `);
  if (lines.some((line) => own.test(line) && !/warning/i.test(line))) return 'fail';
  if (started.program.name === 'git') {
    if (
      lines.some((line) =>
        /^(?:fatal|error): |hook id: |nothing to commit|no changes added to commit|\[rejected\]|^CONFLICT /.test(line),
      )
    )
      return gitWords(started.program.args)[0] === 'add' && !lines.some((line) => /pathspec/.test(line))
        ? 'pass'
        : 'fail';
    if (/^(?:add|status|diff|fetch|log)$/.test(gitWords(started.program.args)[0] ?? '')) return 'pass';
    return 'unknown';
  }
  const check = checkOf(started.program);
  if (check === undefined || check.isDry) return 'unknown';
  for (const family of check.families) {
    const { result } = shownFor(family, {
      started,
      check,
      exit: 'unknown',
      lines,
      isShared,
      isTimedOut: false,
      isCut: false,
      isVisible: started.log.length === 0,
    });
    if (result !== 'unknown') return result;
  }
  return 'unknown';
}

/** `cmd; echo "exit: $?"` prints the code that the shell did not pass on. */
function echoed(started: Started, all: readonly Started[], lines: readonly string[]): { exit?: Exit } {
  if (started.exit !== 'unknown') return {};
  const next = all[all.indexOf(started) + 1];
  if (
    next === undefined ||
    !/^(?:echo|printf)$/.test(next.program.name) ||
    (started.through.length > 0 && !next.program.args.join(' ').includes('PIPESTATUS'))
  )
    return {};
  const word = next.program.args.join(' ').replace(/\\n$/, '');
  const at = /\$\?|\$\{\?\}|\$\{?PIPESTATUS(?:\[0\]\})?/.exec(word);
  if (at === null) return {};
  const head = word.slice(0, at.index);
  const line = lines.findLast((each) => each.startsWith(head) && /^\d{1,3}\b/.test(each.slice(head.length)));
  const number = line === undefined ? undefined : Number.parseInt(line.slice(head.length), 10);
  return number === undefined ? {} : { exit: number === 0 ? 'zero' : 'nonzero' };
}

/** How agents say that they stopped a command. */
const overtime =
  /\btimed out\b|\bexceed(?:ed|ing) (?:the )?(?:maximum )?(?:timeout|time limit)|\b(?:killed|terminated|stopped|aborted|cancell?ed)\b.{0,60}\b(?:timeout|time limit)|^Timeout: /i;

const toldCode =
  /^(?:Command exited with code:?|Exit code:?|exit code:?|\(exit code:?|Process exited with code) ?(\d{1,3})\)?/i;

/** The exit code of a call: told, or known from how its agent reports. */
function codeOf(call: Call, agent: string, lines: readonly string[]): number | 'unknown' | 'failed' {
  if (call.exitCode !== undefined) return call.exitCode;
  for (const line of [...lines.slice(0, 2), ...lines.slice(-3)]) {
    const code = toldCode.exec(line.trim())?.[1];
    if (code !== undefined) return Number(code);
  }
  if (call.status === 'error') return 'failed';
  if (call.status !== 'success') return 'unknown';
  if (zeroIfSuccess.has(agent) || call.output.trim() === '') return 0;
  return 'unknown';
}

function hasTrue(args: unknown, ...names: readonly string[]): boolean {
  return (
    typeof args === 'object' && args !== null && names.some((name) => (args as Record<string, unknown>)[name] === true)
  );
}

function writesOfTool(call: Call): { path: string; operation: Writing['operation'] }[] {
  if (call.edits.length > 0) return call.edits.map(({ path, operation }) => ({ path, operation }));
  const patch = argOf(call.args, 'patch', 'input', 'patchText', 'patch_text', 'diff');
  const patched = patch === undefined ? [] : envelope(patch);
  if (patched.length > 0) return patched;
  const changes = (call.args as { changes?: unknown } | null)?.changes;
  if (Array.isArray(changes))
    return changes.flatMap((change: unknown) => {
      const path = argOf(change, 'path', 'file_path');
      const kind = argOf(change, 'kind', 'type');
      return path === undefined
        ? []
        : [
            {
              path,
              operation:
                kind === 'add'
                  ? ('created' as const)
                  : kind === 'delete'
                    ? ('deleted' as const)
                    : ('modified' as const),
            },
          ];
    });
  const path = pathOf(call);
  return path === undefined
    ? []
    : [
        {
          path,
          operation: /write|create/i.test(call.name)
            ? 'created'
            : /delete|remove/i.test(call.name)
              ? 'deleted'
              : 'modified',
        },
      ];
}

export function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
