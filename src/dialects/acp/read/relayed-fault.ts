import type { ErrorCode } from '../../../events/event.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { objectIn } from '../../../json/parse.ts';
import { object } from '../../../json/read.ts';

/** An error of a model's server that an agent passed on in place of an answer. */
export interface RelayedFault {
  code: ErrorCode;
  message: string;
  status: number | undefined;
  /** It begins with words that only announce an error, such as `Error:`. */
  isAnnounced: boolean;
}

/** Longer than any error; an answer of this length is one. */
const longest = 8000;

/** Signs, brackets and emphasis before the first word. */
const decoration = /^(?:[\p{So}\p{Cf}\uFE0F\s[]|\*\*|__)+/u;
/** What an agent tells before it gives up. */
const progress = /^(?:(?:info|warning|notice)\b|retrying\b|reconnecting\b)/i;

/** Words before a colon that announce an error and say nothing about it: `API error:`, `Prompt failed:`. They may follow each other. */
const announcing: readonly RegExp[] = [
  /^[\w.]*(?:error|exception|failure)$/i,
  /^(?:execution|prompt|request|retry|model call|api call|api request|turn|stream|response|sampling|completion) failed/i,
  /^(?:sorry, |oops, )?(?:I )?(?:ran into|encountered|got|received) (?:an|this) (?:\w+ )?error/i,
  /^(?:sorry, |oops, )?an (?:\w+ )?error (?:occurred|happened) (?:while|when) (?:calling|asking|contacting)\b/i,
  /^error (?:calling|asking|contacting|querying|communicating with) (?:the )?(?:[\w-]{1,20} ){0,2}(?:llm|model|api|provider|server)$/i,
];
/** What may stand before `error`. */
const adjectives: ReadonlySet<string> = new Set(
  'a an the last api http provider model network server request stream upstream unexpected internal fatal llm'.split(
    ' ',
  ),
);
const longestAnnouncement = 120;

/** Errors whose name alone says that a model's server, or the way to it, is meant. */
const telling =
  /^(?:[\w.]{0,60}\.)?(?:AuthenticationError|PermissionDeniedError|RateLimitError|APIConnectionError|APIConnectionTimeoutError|APIStatusError|APIError|CAPIError|OverloadedError|InternalServerError|ServiceUnavailableError|ContextWindowExceededError|QuotaExceededError|AI_APICallError|AI_RetryError):/;

/** What may follow words that could also begin a sentence about them. */
const ends = /^\s*(?:$|[.:;,!·∙|([{"—–-]|(?:for|on|by|with|from|while|because|please|try|trying)\b)/i;

/** How model servers and the programs that ask them say that they could not answer. */
const faults: readonly RegExp[] = [
  /^(?:\w{1,20} )?error(?: (?:code|status))?:? ?\(?[45]\d\d\b/i,
  /^(?:HTTP|status)(?:\/\d(?:\.\d)?)?(?: (?:status|code|error)){0,2}:? ?[45]\d\d\b/i,
  /^(?:unexpected status|request failed with status(?: code)?|received status(?: code)?|server returned(?: status)?|api returned(?: status)?) [45]\d\d\b/i,
  /^(?:sorry, )?you(?:'ve| have)?(?: been)? (?:rate.limited|(?:exceeded|hit|reached|used up|run out of) (?:your|a rate limit|the rate limit|(?:your )?(?:credits|quota)))\b/i,
  /^(?:connect|read|write|getaddrinfo) E[A-Z_]{3}/,
  /^(?:UND_ERR_|stream (?:disconnected|closed|ended) before|error sending request for url|unable to connect\b)/i,
  /^(?:could not|cannot|can't|couldn't|failed to|unable to) (?:connect to|reach|contact) (?:the )?(?:api|model|server|provider|service|https?:)/i,
  /^exceeded retry limit, last status\b/i,
  /^(?:failed to get (?:a )?response from (?:the )?(?:[\w.-]{1,40} ){0,2}model|no response from (?:the )?(?:model|server|provider))/i,
  /^this model's maximum context length is \d/i,
  /^(?:the |your )?(?:input|prompt|request|messages?|conversation)(?: token count(?: of)?)?(?: \(?\d+\)?)?(?: tokens?)? exceeds? (?:the|this|your)\b/i,
  /^input length and `?max_tokens`? exceed/i,
];

/** What goose adds to an error of any server. */
const transient = /\n\s{0,10}please retry if you think this is a transient or recoverable error\.?\s{0,10}$/i;

/** The same, where more than the first words must fit: a server says no more than this, or goes on as in `ends`. */
const sentences: readonly RegExp[] = [
  /^(?:(?:authentication|authorization) (?:failed|error|required|expired)|failed to (?:authenticate|log ?in))/i,
  /^(?:(?:your |the |an? )?(?:invalid|incorrect|expired|missing|revoked|no) (?:api[ _-]?key|x-api-key|access token|token|(?:authentication )?credentials?)(?: (?:provided|given|found|format))?)/i,
  /^(?:(?:your |the )?(?:api[ _-]?key|(?:oauth |access |refresh )?token|credentials?|login|session)(?: is| are| has| was)? (?:not valid|invalid|expired|missing|revoked|rejected|disabled))/i,
  /^(?:(?:you are )?not logged in|please (?:run \/login|log ?in|sign in)|login required|unauthorized|forbidden|access denied|payment required)/i,
  /^(?:insufficient[_ ](?:quota|credits?|balance|funds)|(?:your )?credit balance is too low(?: to access [\w ]{1,40})?|out of credits)/i,
  /^(?:(?:[\w-]{1,20} ){0,2}(?:rate|usage|request|requests|token|tokens|session|weekly|monthly|daily|spending)[ _-]limit(?: has been| was| is)?[ _](?:exceeded|reached|hit|exhausted|error))/i,
  /^(?:(?:[\w-]{1,20} )?(?:\d{1,2}-hour|weekly|monthly|daily|session) limit reached)/i,
  /^(?:your (?:account|organization|subscription)(?: is| has been| was)? (?:not active|inactive|deactivated|disabled|suspended))/i,
  /^(?:(?:the )?(?:upstream |model )?provider returned (?:an )?error)/i,
  /^(?:(?:[\w-]{1,20} ){0,2}quota(?: has been| was| is)?[ _](?:exceeded|reached|exhausted)|too many requests|resource[_ ](?:has been )?exhausted(?: \(e\.g\. check quota\))?|rate_limit_error)/i,
  /^(?:(?:the |this |that |your )?(?:[\w.-]{1,40} ){0,2}(?:model|engine|server|service|provider|api) (?:(?:is |are )?(?:currently |temporarily )?(?:overloaded|unavailable|at capacity|experiencing high demand)|had an error))/i,
  /^(?:overloaded(?:_error)?|(?:internal )?server(?: |_)error|service (?:is )?(?:temporarily |currently )?unavailable|bad gateway|gateway time-?out|internal error|api_error)/i,
  /^(?:fetch failed|failed to fetch|socket hang up|terminated|connection (?:error|refused|reset|closed|failed|lost|aborted|timed out)|network (?:error|is unreachable|connection lost)|(?:the )?(?:request|connection|stream) timed out|premature close)/i,
  /^(?:(?:the |your )?(?:prompt|input|context|conversation|request|message|messages|payload|history)(?: is| are| was)? too (?:long|large|big)(?: to send[\w ]{0,40})?)/i,
  /^(?:(?:the |your |this )?(?:[\w.-]{1,40} ){0,2}context(?: |_)?(?:length|window|limit|size)?(?: |_)(?:was |has been |is )?(?:exceeded|overflow|reached|full))/i,
  /^(?:(?:the )?model [\w./:`"'-]{1,100} (?:(?:was )?not found|does not exist(?: or you do not have access to it)?|is not (?:available|supported)))/i,
  /^(?:model[_ ]not[_ ]found|model_not_found_error|not_found_error|invalid_request_error|authentication_error|permission_error)/i,
];

/** A status before the words of a server: `401 Unauthorized`, `500 {"error":…}`. */
const statusFirst =
  /^[45]\d\d(?::| -|,)? ?(?=$|[{<"(]|[^\n]{0,200}?\b(?:error|fail|invalid|incorrect|unauthori[sz]ed|forbidden|denied|exceed|too many|unavailable|overloaded|time-?out|bad (?:gateway|request)|payment|limit|quota|expired|no body|not found(?=$|[.:,])))/i;

/** A status as programs write it, anywhere in the first sentence. */
const toldStatus =
  /\b(?:HTTP(?:\/\d(?:\.\d)?)?(?: status| code| error){0,2}|status(?: code)?|error(?: code)?):? ?\(?([45]\d\d)\b/i;

/** Words of one who did something or offers to: an answer, whatever it begins with. */
const work: readonly RegExp[] = [
  /\bI(?:'(?:ve|ll|d|m))?\b(?! (?:ran into|encountered)\b)/,
  /\b(?:fixed|added|adds|updated|implemented|refactored|rewrote|renamed|replaced|removed|handles?|handled|handling|mapped|covered|documented|committed|patched)\b/i,
  /\bnow (?:return|retr|fall|wait|report|show|pass|fail|log)/i,
  /\btests? (?:pass|fail|suite|case|file|expect|for|cover|now)/i,
  /\b(?:would you like|do you want|want me to|let me know)/i,
  /```|^#{1,6} /m,
];
/** Words of one who explains what an error is. */
const explanation =
  /\b(?:means?|happens|occurs|indicates|refers to|stands for|comes from|(?:is|are|was|were) (?:what|when|returned|thrown|raised|shown|sent|used|caught|caused|expected|retried|the|a|an|now|one)|returned when|thrown when|raised when|responses|errors)\b/i;

/**
 * Some agents pass an error on as if the model had said it, and call that a finished turn. Undefined: this is an answer, though it may
 * be about an error.
 */
export function relayedFault(answer: string): RelayedFault | undefined {
  if (answer.length > longest) return undefined;
  const lines = answer.trim().split('\n');
  const from = lines.findIndex((line) => line.trim() !== '' && !progress.test(line.trim()));
  const message = lines.slice(Math.max(0, from)).join('\n').trim();
  const bare = message.replace(decoration, '');
  if (bare === '' || from === -1) return undefined;
  const inJson = jsonFault(bare);
  if (inJson !== undefined) return inJson;
  const first = firstSentence(bare);
  if (explanation.test(withoutAddresses(first)) || work.some((words) => words.test(withoutAddresses(bare))))
    return undefined;
  if (isListOfStatuses(lines)) return undefined;
  const stages = announced(bare);
  const rest = stages.at(-1) ?? bare;
  const isFault =
    statusFirst.test(rest) ||
    saysFault(rest) ||
    (rest !== bare &&
      (stages.some((each) => telling.test(each)) ||
        jsonFault(rest) !== undefined ||
        toldStatus.test(first) ||
        transient.test(bare)));
  return isFault ? faultOf(message, statusIn(first, rest), rest !== bare) : undefined;
}

function saysFault(text: string): boolean {
  if (faults.some((words) => words.test(text))) return true;
  return sentences.some((words) => {
    const match = words.exec(text)?.[0];
    return match !== undefined && ends.test(text.slice(match.length, match.length + 50));
  });
}

function faultOf(message: string, status: number | undefined, isAnnounced: boolean): RelayedFault {
  const code = codeOfMessage(message, status);
  // What was recognised as an error of a server, and fits no narrower class, is its refusal to answer.
  return { code: code === 'unknown' || !isOfServer(code) ? 'server' : code, message, status, isAnnounced };
}

/** Codes that tell what became of a request to a model. */
function isOfServer(code: ErrorCode): boolean {
  return (
    code !== 'input' && code !== 'permission' && code !== 'cancelled' && code !== 'turn_limit' && code !== 'cost_limit'
  );
}

function statusIn(first: string, rest: string): number | undefined {
  const found = statusFirst.test(rest)
    ? rest.slice(0, 3)
    : (toldStatus.exec(first)?.[1] ??
      /^(?:unexpected status|[a-z ]{1,40}status(?: code)?) ([45]\d\d)\b/i.exec(rest)?.[1]);
  return found === undefined ? undefined : Number(found);
}

/** The text, and what is left of it after each announcement. */
function announced(text: string): string[] {
  const stages = [text];
  for (let rest = text; stages.length < 5; stages.push(rest)) {
    const colon = rest.slice(0, longestAnnouncement).indexOf(':');
    if (colon === -1 || !announces(rest.slice(0, colon))) break;
    rest = rest.slice(colon + 1).replace(decoration, '');
  }
  return stages;
}

function announces(words: string): boolean {
  if (announcing.some((each) => each.test(words))) return true;
  const each = words.toLowerCase().split(' ');
  if (each.at(-1) === 'occurred') each.pop();
  const last = each.pop();
  return (last === 'error' || last === 'exception' || last === 'failure') && each.every((word) => adjectives.has(word));
}

function firstSentence(text: string): string {
  const end = text.search(/[.!?](?:\s|$)|\n/);
  return (end === -1 ? text : text.slice(0, end)).slice(0, 600);
}

/** An address may hold any word. */
function withoutAddresses(text: string): string {
  return text.replace(/\b[a-z]+:\/\/\S+/gi, '');
}

/** `401: …`, `403: …`: somebody explains statuses. */
function isListOfStatuses(lines: readonly string[]): boolean {
  return new Set(lines.flatMap((line) => /^[45]\d\d\b/.exec(line.trim())?.[0] ?? [])).size > 1;
}

/** The body of a server's answer: `{"error":{"type":…,"message":…}}`. */
function jsonFault(text: string): RelayedFault | undefined {
  const { message, type, code, status } = object(objectIn(text).error);
  if (typeof message !== 'string' || (type === undefined && code === undefined && status === undefined))
    return undefined;
  const number = [status, code].find((each): each is number => typeof each === 'number' && each >= 400 && each <= 599);
  const known = codeOfMessage(`${String(type)} ${String(code)} ${message}`, number);
  return known === 'unknown' ? undefined : { code: known, message, status: number, isAnnounced: false };
}
