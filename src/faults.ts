import type { ErrorCode } from './events/event.ts';
import type { FailureCode } from './failure.ts';

/** The meaning of an HTTP status that a model's server answered. */
export function codeOfStatus(status: number | undefined): ErrorCode | undefined {
  if (status === undefined) return undefined;
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'quota';
  if (status === 404) return 'model_not_found';
  if (status === 408 || status === 409 || status === 425) return 'network';
  if (status === 413) return 'context_overflow';
  if (status === 429) return 'rate_limit';
  if (status >= 400 && status <= 499) return 'refused';
  if (status >= 500 && status <= 599) return 'server';
  return undefined;
}

/** Some statuses are answered for many reasons, and the words say which; what may pass is never read out of a request that is wrong. */
const narrower: Partial<Record<ErrorCode, ReadonlySet<ErrorCode>>> = {
  refused: new Set<ErrorCode>(['context_overflow', 'quota', 'auth', 'config', 'model_not_found', 'cancelled']),
  model_not_found: new Set<ErrorCode>(['context_overflow', 'quota', 'auth', 'config']),
  rate_limit: new Set<ErrorCode>(['quota']),
};

/** The account itself is used up, whatever the server says about waiting. */
const spent = /insufficient[_ ]quota|billing[_ ](?:error|hard)|credit balance|out of credits|usage limit/i;
/** The limit is one that passes within minutes. */
const passes = /\bretryDelay\b|\b(?:retry|try again) (?:in|after) [\d.]+ ?(?:m?s\b|sec)|per[_ ]?min/i;

// Order matters: the first that fits wins, so the narrow wordings come before the wide ones.
const wordings: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /context[_ ](?:length|window)|maximum context|prompt is too long|too many tokens|input token count [^\n]*exceeds|context overflow|ContextOverflow/i,
    'context_overflow',
  ],
  [spent, 'quota'],
  // An account that is used up, unless the server also says that it will soon take more: Gemini has the same words for both.
  [/quota exceeded|exceeded your current quota/i, 'quota'],
  [/rate[_ -]?limit|too many requests|\b429\b|RESOURCE_EXHAUSTED/i, 'rate_limit'],
  [/billing/i, 'quota'],
  [
    /max(?:imum)?[_ ](?:session[_ ])?(?:turns|iterations|steps)|turn limit|TurnLimited|Agent stopped after \d+ turns|iteration limit/i,
    'turn_limit',
  ],
  [/(?:cost|budget)[_ ](?:limit|exhausted|exceeded)|budget exhausted|max[_ ]budget/i, 'cost_limit'],
  [/API_KEY_INVALID|invalid_api_key|authentication_error|UNAUTHENTICATED|\bPERMISSION_DENIED\b/, 'auth'],
  [
    /no (?:api )?key|(?:api[_ ]?key|credentials?)\b[^.\n]*\b(?:not (?:set|found|configured|provided)|missing|required)|(?:missing|set|provide)\b[^.\n]*\bapi[_ ]?key|not logged in|please (?:log|sign) ?in|auth (?:method|type)|invalid config|configuration (?:error|file)|unknown (?:agent|model|provider)/i,
    'config',
  ],
  [
    /unauthori[sz]ed|incorrect api key|invalid api key|api key is invalid|invalid x-api-key|authentication|\b401\b|\b403\b|forbidden|permission_error/i,
    'auth',
  ],
  [/model[^.\n]*not found|model_not_found|no such model|does not exist or you do not have access/i, 'model_not_found'],
  [
    /prompt is required|no (?:prompt|input|query|message)\b|must provide a (?:message|prompt)|requires a prompt|empty prompt|no input provided|unknown (?:option|argument|flag)|unexpected argument|invalid (?:option|value)/i,
    'input',
  ],
  [/content[_ -]?filter|safety|recitation|refus(?:ed|al) by the model|model refus|blocked by/i, 'refused'],
  [
    /overloaded|\b5\d\d\b|server(?:_| )error|internal error|server had an error|service unavailable|bad gateway|high demand|temporarily unavailable/i,
    'server',
  ],
  [
    /disconnected|premature close|connection (?:error|reset|refused|closed)|econn\w+|enotfound|eai_again|socket|network|fetch failed|terminated|timed? ?out|stream (?:ended|closed|error)|error decoding response|other side closed|incomplete json/i,
    'network',
  ],
  [
    /auto-?reject|rejected permission|permission (?:denied|rejected)|not permitted|approval settings|denied by (?:policy|rule|user)/i,
    'permission',
  ],
  [/abort(?:ed)?|cancell?ed|interrupted/i, 'cancelled'],
  [
    /^4\d\d\s|\bAPI Error: 4\d\d\b|\bHTTP 4\d\d\b|\bstatus(?: code)?:? 4\d\d\b|invalid_request_error|INVALID_ARGUMENT|not_found_error|\bbad request\b/i,
    'refused',
  ],
];

/** The meaning of an error told in words; `unknown` when the words say nothing we know. */
export function codeOfMessage(message: string, status?: number, { asksToWait = false }: { asksToWait?: boolean } = {}): ErrorCode {
  const known = codeOfStatus(status);
  const reasons = known === undefined ? undefined : narrower[known];
  if (known !== undefined && reasons === undefined) return known;
  // Error texts are short; a long one is a page or a log, and its head says what it is.
  const head = message.length > 2000 ? message.slice(0, 2000) : message;
  const worded = wordings.find(([wording]) => wording.test(head))?.[1];
  const code = worded === 'quota' && !spent.test(head) && (asksToWait || passes.test(head)) ? 'rate_limit' : worded;
  return code !== undefined && (reasons === undefined || reasons.has(code)) ? code : (known ?? 'unknown');
}

/** Whether the same request may succeed a little later. */
export function mayPass(code: ErrorCode): boolean {
  return code === 'rate_limit' || code === 'server' || code === 'network';
}

/** The most general code of each class of failure: all that is known when only the class was told. */
export const codeOfClass: Record<FailureCode, ErrorCode> = {
  config: 'config',
  input: 'input',
  tool: 'tool',
  provider: 'server',
  cost_limit: 'cost_limit',
  turn_limit: 'turn_limit',
  permission: 'permission',
  incomplete: 'unknown',
  time_limit: 'time_limit',
  cancelled: 'cancelled',
};
