import type { Clause } from '../answer/clause.ts';
import { actions, isGood } from './actions.ts';
import { byCall, contradicted, type Found, notShown, supported } from './kind.ts';
import { isVoid, ofCode } from './subjects.ts';
import type { Step } from '../facts/facts.ts';
import { ofStep, short } from './why.ts';

const refusal =
  /\b(?:not (?:been )?(?:permitted|allowed|authori[sz]ed|granted)|(?:was|were|is|are|been|got|being) (?:denied|refused|declined|disallowed|forbidden|rejected by (?:the )?(?:user|sandbox|policy))|denied|refused|permission (?:was |is )?(?:denied|refused|missing|not granted)|no permission|lack(?:ed|s)? permission|blocked by (?:the )?(?:sandbox|permissions?|policy|user|settings)|(?:sandbox|tool|policy|permission system|user|harness) (?:has |have )?(?:refused|denied|rejected|blocked|declined|forbade|did not allow)|disallowed|forbidden|approval (?:was )?(?:denied|declined|required))\b/;

/** Permission that was refused. */
export function denials(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (
    !refusal.test(plain) ||
    /\bconnections?\b.{0,40}\b(?:refused|denied)|\b(?:refused|denied|rejected) (?:the |our |my )?connections?\b|\baccess denied (?:error|page|response)|\b(?:40[13])\b|\bpush (?:was )?(?:rejected|denied|declined)/.test(
      plain,
    )
  )
    return undefined;
  const coded = clause.codes.map(ofCode).find((each) => each !== undefined);
  const action = actions.find(([words]) => words.test(plain));
  const isWrite = /\b(?:edit|write|writing|editing|modify|modifying|create|creating|change) \b/.test(plain)
    ? clause.paths[0]
    : undefined;
  return {
    kind: 'denied',
    isWhole: true,
    judge(facts) {
      const refused = facts.steps.filter((step) => step.isRefused);
      if (coded === undefined && action === undefined && isWrite === undefined) {
        const call = facts.calls.find(({ status }) => status === 'denied');
        return call === undefined ? notShown : supported(byCall(call, short(call.output)));
      }
      if (isWrite !== undefined) {
        const writes = facts.writes.filter((write) => write.path.endsWith(isWrite));
        const lost = writes.find((write) => write.isRefused);
        const done = writes.find((write) => write.done === 'yes');
        return lost === undefined
          ? done === undefined
            ? notShown
            : contradicted(byCall(done.call, short(done.path)))
          : supported(byCall(lost.call, short(lost.call.output)));
      }
      const isOf = (step: Step): boolean => coded?.matches(step) ?? action?.[1](step) ?? false;
      const own = refused.find(isOf);
      if (own !== undefined) return supported(ofStep(own));
      const done = facts.steps.find(
        (step) => isOf(step) && !isVoid(step) && (step.exit === 'zero' || isGood(facts, step)),
      );
      if (done !== undefined) return contradicted(ofStep(done));
      const anyRefused = refused[0];
      return anyRefused !== undefined && /\bevery\b|\ball\b|\beach\b/.test(plain)
        ? supported(ofStep(anyRefused))
        : notShown;
    },
  };
}
