import type { RunOutcome } from '../../../outcome/outcome.ts';
import { codeOfMessage } from '../../../faults.ts';
import { classWords } from '../../class-words.ts';

export function failureMessage({ error_details, verdict }: RunOutcome): string {
  return error_details?.message || (verdict.evidence[0]?.detail ?? '');
}

/** Without a query something else may be wrong as well: a flag without its value, and that is what to say. */
const saysNoQuery = /^$|^(?:no|empty|missing)\b|\b(?:empty|missing|required)$/i;

/** The error of a response: one of five codes, and the class in the message where they cannot name it. */
export function errorDetail(outcome: RunOutcome): { code: string; message: string } {
  const message = failureMessage(outcome);
  switch (outcome.verdict.class) {
    case 'config':
      return { code: 'CONFIG_ERROR', message };
    case 'provider':
      return { code: 'PROVIDER_ERROR', message };
    case 'input':
      if (outcome.metadata.initial_prompt === '' && saysNoQuery.test(message)) return { code: 'NO_QUERY', message };
  }
  const told = classWords[outcome.verdict.class];
  if (told === undefined) return { code: 'UNKNOWN_ERROR', message };
  return { code: 'AGENT_ERROR', message: codeOfMessage(message) === told.code ? message : `${told.words}: ${message}` };
}
