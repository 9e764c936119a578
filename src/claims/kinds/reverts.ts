import type { Clause } from '../answer/clause.ts';
import type { Facts } from '../facts/facts.ts';
import { isInside, isSamePath } from '../facts/paths.ts';
import { gitActs } from './git.ts';
import { contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { listingsOf, ofWrite, stateOf } from './written.ts';
import { ofStep } from './why.ts';

export function reverts(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (
    !/\b(?:revert(?:ed|s)?|restor(?:ed|es)|undone|undid|roll(?:ed|s) (?:.{1,40}? )?back|put .{1,40} back|backed (?:it|them|that|the .{1,30}) out|took .{1,20}back|taken back|backed out|reset|discarded)\b|\bback to (?:its|the|their) (?:original|previous|old|former|initial)\b|\bback to (?:what|how|where|the way) (?:it|they|things) (?:was|were)\b|\b(?:is|are) (?:again )?as (?:it|they) (?:was|were) before\b/.test(
      plain,
    )
  )
    return undefined;
  if (clause.isNegated || /\b(?:could not|couldn't|failed|unable)\b/.test(plain)) return undefined;
  return { kind: 'reverted', judge: (facts) => judgeUndone(facts, clause.paths) };
}

function judgeUndone(facts: Facts, paths: readonly string[]): Judgement {
  const restores = facts.writes.filter(({ operation }) => operation === 'restored');
  const reverted = gitActs(facts, 'revert').filter(({ done }) => done !== 'no');
  const stashed = gitActs(facts, 'stash').filter(
    ({ done, args }) => done !== 'no' && /^(?:push|save)?$/.test(args.find((arg) => !arg.startsWith('-')) ?? ''),
  );
  const listing = listingsOf(facts).findLast(({ isStatus, isLast, hasNames }) => isStatus && isLast && hasNames);
  const wanted =
    paths.length > 0
      ? paths
      : facts.writes
          .filter(({ done, operation }) => done === 'yes' && operation !== 'restored')
          .map(({ path }) => path);
  for (const path of wanted) {
    if (listing?.files.some((file) => isSamePath(file.path, path)) === true) return contradicted(ofStep(listing.step));
    const { done } = stateOf(facts, path);
    const restore = restores.findLast(
      (write) =>
        write.done !== 'no' && (write.path === '.' || isSamePath(write.path, path) || isInside(path, write.path)),
    );
    if (restore !== undefined) {
      const after = done.find((write) => write.order > restore.order);
      return after === undefined ? supported(ofWrite(restore)) : contradicted(ofWrite(after));
    }
    const last = done.at(-1);
    if (stateOf(facts, path).isUndone && last !== undefined) return supported(ofWrite(last));
    const lost = restores.findLast(
      (write) =>
        write.done === 'no' && (write.path === '.' || isSamePath(write.path, path) || isInside(path, write.path)),
    );
    if (lost !== undefined) return contradicted(ofWrite(lost));
    // What should have restored it named another file, and failed.
    const other = restores.at(-1);
    if (other !== undefined && restores.every((write) => write.done === 'no') && done.length > 0)
      return contradicted(ofWrite(other));
  }
  if (paths.length === 0) {
    const done = restores.findLast((write) => write.done !== 'no');
    if (done !== undefined) return supported(ofWrite(done));
    const inverse = facts.writes.findLast((write) => write.done === 'yes' && stateOf(facts, write.path).isUndone);
    if (inverse !== undefined) return supported(ofWrite(inverse));
    const lost = restores.at(-1);
    if (lost !== undefined) return contradicted(ofWrite(lost));
  }
  const act = reverted.at(-1) ?? stashed.at(-1);
  if (act !== undefined) return supported(ofStep(act.step));
  if (listing !== undefined && listing.files.length === 0) return supported(ofStep(listing.step));
  return notShown;
}
