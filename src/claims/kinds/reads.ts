import type { Clause } from '../answer/clause.ts';
import { type Call, pathOf } from '../facts/call.ts';
import type { Facts } from '../facts/facts.ts';
import { inFolder, isSamePath } from '../facts/paths.ts';
import { byCall, contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { callText, short } from './why.ts';

const reading =
  /\b(?:i|we) (?:\w+ ){0,2}?(?:re-?read|read|looked (?:at|into|through|over)|had a (?:\w+ )?look|took a (?:\w+ )?look|inspected|reviewed|examined|studied|skimmed|went through|opened|checked|consulted|scanned)\b|\b(?:was|were|has been|have been) (?:\w+ )?(?:read|inspected|reviewed|examined|studied|looked at|consulted)\b|\bi read\b|\bread (?:it|the (?:whole |full |entire )?(?:file|source|code)) (?:first|in full|completely|carefully)|\bwhich i (?:have )?read\b|^(?:read|reviewed|inspected|examined|looked at)\b|\b(?:began|begun|started|opened) (?:by|with) (?:reading|inspecting|reviewing|examining|studying)\b|\bhaving read\b|\bafter reading\b/;

/** A file was read. */
export function reads(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (!reading.test(plain)) return undefined;
  const paths =
    clause.paths.length > 0
      ? clause.paths
      : /\b(?:the|this|that) (?:whole |full |entire |source |test )?(?:file|module|source|script|document)\b|\bit\b/.test(
            plain,
          )
        ? clause.named.slice(0, 1)
        : [];
  if (
    paths.length === 0 ||
    (/\b(?:checked|scanned|opened)\b/.test(plain) && !/\b(?:read|file)\b/.test(plain) && clause.paths.length === 0)
  )
    return undefined;
  if (/\b(?:not|never|n't|without)\b (?:\w+ ){0,2}?(?:read|look|inspect|review|open|examin|stud)/.test(plain))
    return { kind: 'file_read', judge: (facts) => judgeUnread(facts, paths) };
  return { kind: 'file_read', judge: (facts) => judgeRead(facts, paths) };
}

interface Reading {
  call: Call;
  isDone: boolean;
}

export function readingsOf(facts: Facts, path: string): Reading[] {
  const found: Reading[] = [];
  for (const call of facts.calls) {
    if (call.kind !== 'read') continue;
    const own = pathOf(call);
    const several = (call.args as { paths?: unknown } | null)?.paths;
    const all = [own, ...(Array.isArray(several) ? several : [])].filter((each) => typeof each === 'string');
    if (all.some((each) => isSamePath(each, path)))
      found.push({
        call,
        isDone:
          call.status === 'success' &&
          !/^(?:<tool_use_error>|Error:|File (?:does not exist|not found))/.test(call.output),
      });
  }
  for (const step of facts.steps) {
    if (
      !/^(?:cat|bat|batcat|less|more|head|tail|sed|nl|view|awk|grep|rg|xxd|od|jq|yq|git|diff|tac|strings|vim?|nano|python)$/.test(
        step.program.name,
      ) ||
      step.ran === 'no'
    )
      continue;
    if (step.program.name === 'git' && !/^(?:show|diff|blame)$/.test(step.program.args[0] ?? '')) continue;
    if (step.program.name === 'sed' && step.program.args.some((arg) => /^-[a-z]*i/.test(arg))) continue;
    if (
      [...step.program.args, ...step.simple.reads].some((arg) =>
        isSamePath(inFolder(step.folder, arg.replace(/^HEAD:/, '')), path),
      )
    )
      found.push({
        call: step.call,
        isDone:
          !step.isRefused &&
          !step.isMissing &&
          step.exit !== 'nonzero' &&
          !step.lines.some(
            (line) =>
              /No such file or directory|Permission denied/.test(line) &&
              line.includes(path.slice(path.lastIndexOf('/') + 1)),
          ),
      });
  }
  return found;
}

function judgeRead(facts: Facts, paths: readonly string[]): Judgement {
  const evidence = [];
  for (const path of paths) {
    const all = readingsOf(facts, path);
    const done = all.find(({ isDone }) => isDone);
    if (done !== undefined)
      evidence.push(byCall(done.call, done.call.kind === 'read' ? `read ${short(path)}` : callText(done.call)));
    else {
      const [lost] = all;
      return lost === undefined ? notShown : contradicted(byCall(lost.call, `read ${short(path)}: failed`));
    }
  }
  return supported(...evidence);
}

function judgeUnread(facts: Facts, paths: readonly string[]): Judgement {
  for (const path of paths) {
    const done = readingsOf(facts, path).find(({ isDone }) => isDone);
    if (done !== undefined) return contradicted(byCall(done.call, `read ${short(path)}`));
  }
  return supported();
}
