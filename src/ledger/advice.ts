import { rulesThatAllow } from '../builtin/permissions/rule-for.ts';
import { flagOfLimit } from '../contract/requested.ts';
import { subject } from '../events/subject.ts';
import { shortRunId } from '../ids/run-id.ts';
import { isUnread } from '../outcome/verdict.ts';
import { isUnchanged } from '../outcome/lineage.ts';
import type { RunOutcome, Verdict } from '../outcome/outcome.ts';
import { builtIn } from '../words/vocabulary.ts';
import { oneLine } from '../terminal/plain.ts';
import { shellQuote } from '../terminal/shell-quote.ts';

interface DeniedCall {
  tool: string;
  touched: string;
}

/** The agent that ran, and what it supports. */
export interface AdviceOptions {
  /** What was denied, where it is known: a tool, and the command, path or address that it was to touch. */
  denied?: readonly DeniedCall[];
  /** Unset: the user's own command. */
  agent: string | undefined;
  canResume: boolean;
  takesModel: boolean;
  permissionModes: readonly string[];
  /** A command that installs it. */
  install?: string;
  /** It was allowed everything that can be allowed. */
  isFull: boolean;
  /** Other flags that a resumed run needs as well: `--model`, `--base-url`, `--cwd`, rules. */
  flags: () => readonly string[];
}

/** All that is needed of an outcome, whole or as the ledger keeps it. */
type Advised = Omit<RunOutcome, 'tool_calls'>;

/** The denied calls of an outcome that has their arguments. */
export function deniedIn({ tool_calls: calls }: Pick<RunOutcome, 'tool_calls'>): DeniedCall[] {
  return calls.flatMap(({ name, inputs, reason }) =>
    reason === 'denied' ? [{ tool: name, touched: subject(inputs) ?? '' }] : [],
  );
}

/** What the user could do next; only what Runwire knows to work. */
export function advise(outcome: Advised, options: AdviceOptions): string[] {
  const remedy = outcome.verdict.class === 'success' ? undefined : remedyFor(outcome.verdict, outcome, options);
  return [remedy, permitted(outcome, options), resumeLine(outcome, options)].filter((each) => each !== undefined);
}

/** A command line that resumes the session, ready to be pasted. */
function resumeLine(
  { session_id: session, verdict, lineage }: Advised,
  { agent, canResume, flags }: AdviceOptions,
): string | undefined {
  // The id comes from the agent: only one that needs no quotes is put in a command that people copy.
  if (!canResume || agent === undefined || !/^\w[\w.:-]{0,99}$/.test(session)) return undefined;
  if (verdict.class === 'config' || verdict.class === 'input') return undefined;
  // Control characters are spelt out when shown, so a command line with them would no longer be the same.
  const kept = lineage?.branches.findLast(({ isolation, commit }) => isolation !== undefined && commit !== undefined);
  // Its work exists only on its branch: that is where it resumes.
  const place =
    kept === undefined || lineage === undefined || isUnchanged(lineage, kept)
      ? []
      : ['--parent-branch-id', kept.branch_id];
  const copy = kept?.isolation === undefined ? [] : ['--isolate', kept.isolation, ...place];
  const words = [...flags(), ...copy];
  if (words.some((word) => oneLine(word, word.length) !== word)) return undefined;
  return shellQuote([
    'runwire',
    ...(agent === builtIn ? [] : ['--agent', agent]),
    ...words,
    '--resume',
    session,
    'continue',
  ]);
}

function remedyFor(
  verdict: Verdict,
  outcome: Advised,
  { agent, takesModel, permissionModes, isFull, install, denied = [] }: AdviceOptions,
): string | undefined {
  const who = agent === undefined || agent === builtIn ? undefined : agent;
  switch (verdict.code) {
    case 'auth':
      return who === undefined
        ? 'check the key of the model provider'
        : `check its key or sign in; "runwire doctor ${who}" shows what is set up`;
    case 'refused':
      return `trying again will not help: the request was refused; change the prompt${takesModel ? ' or the --model' : ''}`;
    case 'rate_limit':
    case 'server':
    case 'network':
      if (!mayHelp(outcome)) return undefined;
      return outcome.metadata.attempt_number > 1 ? 'try again later' : 'try again, or let --retries 2 do it';
    case 'quota':
      return `the account has no credit left: top it up${takesModel ? ', or choose another --model' : ''}`;
    case 'context_overflow':
      return `ask for less at once${takesModel ? ', or choose a --model with a larger window' : ''}`;
    case 'model_not_found':
      return takesModel ? 'choose another --model' : undefined;
    default:
  }
  switch (verdict.class) {
    case 'cost_limit':
    case 'turn_limit':
    case 'time_limit': {
      // A command may have enforced its own limit, which our flags do not change.
      const flag = agent === undefined ? undefined : flagOfLimit(outcome.limits_hit.at(-1)?.limit ?? '');
      return flag === undefined ? undefined : `a larger ${flag} lets it go further`;
    }
    case 'permission':
      return isFull ? undefined : allowing(denied, agent, permissionModes);
    case 'incomplete':
      if (agent === undefined && isUnread(outcome))
        return 'a program that prints plain text is read with --wire, from what its model answers; --from DIALECT names a format';
      return outcome.metadata.attempt_number > 1 || !mayHelp(outcome)
        ? undefined
        : '--retries 2 restarts a run that breaks off';
    case 'config':
      if (who === undefined) return undefined;
      return isBroken(verdict) && install !== undefined
        ? `install it again: ${install}`
        : `"runwire doctor ${who}" shows what is missing`;
    default:
      return undefined;
  }
}

/** Whether a retry may help: a request that the server calls invalid will be invalid next time as well. */
function mayHelp({ verdict, error_details: error }: Advised): boolean {
  const words = [error?.message ?? '', ...verdict.evidence.map(({ detail }) => detail)].join('\n');
  return !/\b(?:HTTP|status(?: code)?|API Error)\W{0,3}4(?!08|09|25|29)\d\d\b|\bbad request\b|invalid_request_error/i.test(
    words,
  );
}

const isBroken = ({ evidence }: Verdict): boolean =>
  evidence[0]?.detail.startsWith('the program does not work as it is installed') === true;

/** What to do with the work of several agents: undefined for a run of one. Only a brain has a session that can go on. */
export function adviseOnCrew({ status, lineage, session_id: session, verdict }: Advised, id: string) {
  const branches = lineage?.branches.filter(({ run_id }) => run_id !== undefined) ?? [];
  if (branches.length === 0 || lineage === undefined) return undefined;
  const name = shortRunId(id);
  const winner = lineage.branches.find((branch) => branch.winner === true);
  if (status === 'success' && winner !== undefined && !isUnchanged(lineage, winner))
    return [`runwire apply ${name}`, `runwire drop ${name}`];
  const isOver = status === 'success' || verdict.class === 'config' || verdict.class === 'input' || session === '';
  return isOver ? [] : [`runwire orchestrate --resume ${name}`];
}

/** What was denied in a run that ended for another reason, or well. */
function permitted({ verdict, denials }: Advised, { denied = [], agent, permissionModes, isFull }: AdviceOptions) {
  if (verdict.class === 'permission' || denials === undefined || isFull || denied.length === 0) return undefined;
  return agent === builtIn ? allowing(denied, agent, permissionModes) : undefined;
}

const rulesShown = 3;
const callsTried = 20;
const longestRule = 300;

function allowing(
  denied: readonly DeniedCall[],
  agent: string | undefined,
  modes: readonly string[],
): string | undefined {
  if (agent !== builtIn) return modes.includes('full') ? '--permission-mode full permits everything' : undefined;
  const rules = new Set(
    denied.slice(0, callsTried).flatMap(({ tool, touched }) => rulesThatAllow(tool, touched) ?? []),
  );
  // A rule that shows other characters than it has would be another rule when it is pasted.
  const shown = [...rules]
    .filter((rule) => rule.length <= longestRule && oneLine(rule, rule.length) === rule)
    .slice(0, rulesShown);
  if (shown.length === 0) return '--allow RULE permits one thing, --permission-mode full everything';
  const flags = shown.map((rule) => `--allow ${shellQuote([rule])}`).join(' ');
  return `${flags} permits what was denied, --permission-mode full everything`;
}

type Abilities = Omit<AdviceOptions, 'flags' | 'isFull' | 'denied'>;

const nobody: Abilities = { agent: undefined, canResume: false, takesModel: false, permissionModes: [] };

/** What an agent supports, as far as we know it. */
export async function abilitiesOf(agent: string | undefined): Promise<Abilities> {
  if (agent === undefined) return nobody;
  if (agent === builtIn || agent === 'runwire')
    return { agent: builtIn, canResume: true, takesModel: true, permissionModes: ['edit', 'full'] };
  const { agents } = await import('../agents/registry.ts');
  const known = agents.find(({ id }) => id === agent);
  if (known === undefined) return nobody;
  const { resume, model, permissionModes } = known.abilities;
  return { agent, canResume: resume, takesModel: model, permissionModes, install: known.install };
}
