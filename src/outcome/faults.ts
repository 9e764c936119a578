import type { ErrorCode } from '../events/event.ts';
import type { FailureCode, VerdictClass } from '../failure.ts';

/** The meaning of an HTTP status returned by a model's server. */
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

/** Some statuses have many possible causes, and the message says which; a bad request is never classified as something that may pass. */
const narrower: Partial<Record<ErrorCode, ReadonlySet<ErrorCode>>> = {
  refused: new Set<ErrorCode>(['context_overflow', 'quota', 'auth', 'config', 'model_not_found', 'cancelled']),
  model_not_found: new Set<ErrorCode>(['context_overflow', 'quota', 'auth', 'config']),
  rate_limit: new Set<ErrorCode>(['quota']),
};

/** The account itself has no credit left, whatever the server says about waiting. */
const spent =
  /insufficient[_ ]quota|billing[_ ](?:error|hard)|credit balance|out of credits|usage limit|out of (?:extra )?usage|\b(?:\d{1,2}-hour|hourly|daily|weekly|monthly|session|free|opus|sonnet) limit (?:reached|exceeded)/i;
/** `You've hit your session limit`: the limit of a plan, in the words of its agent. That on turns or requests a minute is another. */
const planLimit =
  /\b(?:hit|reached|exceeded) your (?:(?:\d{1,2}-hour|hourly|daily|weekly|monthly|session|free|plan|account|opus|sonnet|chat|messages?|credits?) ){0,3}(?:limit|quota)s?\b/i;
const quotaGone =
  /\bquota (?:limit|reached|will reset|has been (?:reached|used up))|exhausted your (?:capacity|quota)/i;
/** The limit is one that passes within minutes. */
const passes = [/\bretryDelay\b|per[_ ]?min/i, /\b(?:retry|try again) (?:in|after) [\d.]+ ?(?:m?s\b|sec)/i];

/** Two wordings, the second somewhere after the first in the same sentence. A single expression for both would take quadratic time. */
interface Sentence {
  first: RegExp;
  later: RegExp;
}

function says(wording: RegExp | Sentence, text: string): boolean {
  if (wording instanceof RegExp) return wording.test(text);
  return text.split(/[.\n]/).some((sentence) => {
    const at = sentence.search(wording.first);
    return at !== -1 && wording.later.test(sentence.slice(at));
  });
}

// Order matters: the first that fits wins, so the narrow wordings come before the wide ones.
const wordings: readonly (readonly [RegExp | Sentence, ErrorCode])[] = [
  [
    /context[_ ](?:length|window|size|limit|overflow)|maximum context|too many tokens|ContextOverflow/i,
    'context_overflow',
  ],
  [{ first: /token count/i, later: /exceeds/i }, 'context_overflow'],
  [
    /(?:context|prompt|input|request|conversation|history)(?: is|_is|_)? ?too[_ ](?:long|large|big)/i,
    'context_overflow',
  ],
  [/too (?:long|large) to send|reduce the length of the (?:messages|prompt|input)/i, 'context_overflow'],
  // The system's own words for a network that is down; the port of an address must not be taken for a status.
  [
    /\b(?:ECONN(?:REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN|EPIPE|ETIMEDOUT)\b/i,
    'network',
  ],
  [/\bUND_ERR_|\bERR_(?:NETWORK|INTERNET|CONNECTION|NAME)/i, 'network'],
  [/ConnectionRefused|FailedToOpenSocket|getaddrinfo|unable to connect/i, 'network'],
  [spent, 'quota'],
  [planLimit, 'quota'],
  // An account without credit, unless the server also says that requests will soon be accepted again: Gemini uses the same words for both.
  [/quota exceeded|exceeded your current quota/i, 'quota'],
  [/rate[_ -]?limit|too many requests|\b429\b|RESOURCE_EXHAUSTED/i, 'rate_limit'],
  [quotaGone, 'quota'],
  [/billing/i, 'quota'],
  [/max(?:imum)?[_ ](?:session[_ ])?(?:turns|iterations|steps)|turn limit|TurnLimited|iteration limit/i, 'turn_limit'],
  [/Agent stopped after \d+ turns/i, 'turn_limit'],
  [/(?:cost|budget)[_ ](?:limit|exhausted|exceeded)|budget exhausted|max[_ ]budget/i, 'cost_limit'],
  [
    /API_KEY_INVALID|invalid_api_key|authentication_error|UNAUTHENTICATED|\bPERMISSION_DENIED\b|AccessDeniedException|UnrecognizedClientException|ExpiredTokenException/,
    'auth',
  ],
  [/no (?:api )?key|not logged in|please (?:log|sign) ?in|auth (?:method|type)/i, 'config'],
  [/invalid config|configuration (?:error|file)|unknown (?:agent|model|provider)/i, 'config'],
  [
    {
      first: /(?:api[_ ]?key|credentials?)\b/i,
      later: /\b(?:not (?:set|found|configured|provided)|missing|required)/i,
    },
    'config',
  ],
  [{ first: /(?:missing|set|provide)\b/i, later: /\bapi[_ ]?key/i }, 'config'],
  [
    /unauthori[sz]ed|incorrect api key|invalid api key|api key (?:is invalid|not valid)|invalid x-api-key|authentication|\b401\b|\b403\b|forbidden|permission_error|token has expired|please run \/login|(?:account|organization) has been (?:disabled|deactivated|suspended)/i,
    'auth',
  ],
  [/model_not_found|no such model|does not exist or you do not have access/i, 'model_not_found'],
  [{ first: /model/i, later: /not found/i }, 'model_not_found'],
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
    /disconnected|premature close|socket|network|no internet|you are offline|fetch failed|failed to fetch|terminated/i,
    'network',
  ],
  [/connection[ _-]?(?:error|reset|refused|closed|failed|failure|lost|dropped|aborted|timed)/i, 'network'],
  [/(?:could not|cannot|can't|couldn't|failed to|error trying to) (?:connect to|reach|resolve)/i, 'network'],
  [
    /no route to host|host (?:is )?(?:unreachable|down)|framing layer|no such host|error sending request|tls handshake|upstream connect error|verify the first certificate/i,
    'network',
  ],
  [/(?:name|host|dns)[ _](?:or service )?(?:not known|not found|not resolved|resolution|lookup)/i, 'network'],
  [/timed? ?out|stream (?:ended|closed|error)|error decoding response|other side closed|incomplete json/i, 'network'],
  [/econn\w+/i, 'network'],
  [
    /auto-?reject|rejected permission|permission (?:denied|rejected)|not permitted|approval settings|denied by (?:policy|rule|user)/i,
    'permission',
  ],
  [/abort(?:ed)?|cancell?ed|interrupted/i, 'cancelled'],
  [/^4\d\d\s|\bHTTP 4\d\d\b|\b(?:error|response|failed|status|code):? \(?4\d\d\b|\b404 not found\b/i, 'refused'],
  [/invalid_request_error|INVALID_ARGUMENT|not_found_error|\bbad request\b/i, 'refused'],
];

/** The meaning of an error message; `unknown` when no known wording matches. */
export function codeOfMessage(
  message: string,
  status?: number,
  { asksToWait = false }: { asksToWait?: boolean } = {},
): ErrorCode {
  const known = codeOfStatus(status);
  const reasons = known === undefined ? undefined : narrower[known];
  if (known !== undefined && reasons === undefined) return known;
  // Error messages are short; a long one is a page or a log, and its beginning says what it is.
  const head = message.length > 2000 ? message.slice(0, 2000) : message;
  const worded = wordings.find(([wording]) => says(wording, head))?.[1];
  const code =
    worded === 'quota' && !spent.test(head) && (asksToWait || passes.some((wording) => wording.test(head)))
      ? 'rate_limit'
      : worded;
  return code !== undefined && (reasons === undefined || reasons.has(code)) ? code : (known ?? 'unknown');
}

/** What can go wrong in a model call; other codes found in the text are about something else. */
const ofProviders: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'auth',
  'quota',
  'rate_limit',
  'context_overflow',
  'model_not_found',
  'refused',
  'server',
  'network',
]);

/** The meaning of an error of a model's server; undefined when neither its words nor its status tell. */
export function codeOfProvider(
  message: string,
  status: number | undefined,
  options?: Parameters<typeof codeOfMessage>[2],
): ErrorCode | undefined {
  const code = codeOfMessage(message, status, options);
  return ofProviders.has(code) ? code : codeOfStatus(status);
}

/** How long a model's server asks to wait: seconds or a date in the usual header, milliseconds in OpenAI's, `"retryDelay": "7s"` in Gemini's body. */
export function retryAfterIn(headers: Readonly<Record<string, unknown>>, body: string): number | undefined {
  const inMs = Number.parseFloat(String(headers['retry-after-ms']));
  if (inMs >= 0) return inMs;
  const after = headers['retry-after'];
  if (typeof after === 'string') {
    const ms = /^[\d.]+$/.test(after.trim()) ? Number(after) * 1000 : Date.parse(after) - Date.now();
    if (!Number.isNaN(ms)) return Math.max(0, ms);
  }
  const delay = /"retryDelay":\s*"([\d.]+)s"/.exec(body)?.[1];
  return delay === undefined ? undefined : Number(delay) * 1000;
}

/** Whether the same request may succeed a little later. */
export function mayPass(code: ErrorCode): boolean {
  return code === 'rate_limit' || code === 'server' || code === 'network';
}

/** The most general code of each class of failure, for when only the class is known. */
export const codeOfClass: Record<FailureCode, ErrorCode> = {
  config: 'config',
  input: 'input',
  tool: 'tool',
  provider: 'server',
  cost_limit: 'cost_limit',
  turn_limit: 'turn_limit',
  permission: 'permission',
  incomplete: 'unknown',
  expectation: 'expectation',
  output: 'output',
  time_limit: 'time_limit',
  cancelled: 'cancelled',
};

/** The class of a failure that has a code. */
export const classOfCode: Record<ErrorCode, VerdictClass> = {
  auth: 'provider',
  quota: 'provider',
  rate_limit: 'provider',
  server: 'provider',
  network: 'provider',
  context_overflow: 'provider',
  refused: 'provider',
  output_length: 'incomplete',
  model_not_found: 'config',
  config: 'config',
  input: 'input',
  permission: 'permission',
  tool: 'tool',
  turn_limit: 'turn_limit',
  loop: 'turn_limit',
  cost_limit: 'cost_limit',
  time_limit: 'time_limit',
  expectation: 'expectation',
  output: 'output',
  cancelled: 'cancelled',
  unknown: 'incomplete',
};

/** Whether a failure was the model's provider's. */
export function isProviderFault(code: ErrorCode): boolean {
  return classOfCode[code] === 'provider';
}
