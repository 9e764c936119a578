import type { ErrorCode } from '../../../events/event.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { objectIn } from '../../../json/parse.ts';
import { object } from '../../../json/read.ts';
import { announcing, curt, faults, nothingMore, sentences, telling } from './server-words.ts';

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

/** Errors say what they are at their beginning. */
const mostLooked = 600;

/** Signs, brackets, emphasis and the number of the request before the first word. */
const decoration = /^(?:[\p{So}\p{Cf}\uFE0F\s[]|\*\*|__|\((?:[Rr]equest|[Tt]race)[ _-]?[Ii][Dd]:? ?[\w-]+\))+/u;
/** It says nothing of what is wrong. */
const apology = /^(?:i'?m sorry|we'?re sorry|sorry|unfortunately|oops)[,!.]? (?:but )?/i;
/** What an agent tells before it gives up. */
const progress = /^(?:(?:info|warning|notice)\b|retrying\b|reconnecting\b)/i;

/** What may stand before `error`. */
const adjectives: ReadonlySet<string> = new Set(
  'a an the last api http provider model network server request stream upstream unexpected internal fatal llm'.split(
    ' ',
  ),
);
const longestAnnouncement = 120;

/** What may follow words that could also begin a sentence about them. */
const ends = /^\s*(?:$|[.:;,!·∙|([{"—–-]|(?:for|on|by|with|from|while|because|please|try|trying)\b)/i;

/** What a server says after that: which of its things it means, and what to do. */
const advice: readonly RegExp[] = [
  /^(?:$|[.!]$|[.!,:;]? ?(?:please|try|retry|upgrade|add|check|wait|contact|sign|log|giving up)\b)/i,
  /^ (?:for (?:this|the|your|deployment|model)\b|right now\b|by your\b|without sending a response\b|\(\d{3}\)$)/i,
];
/** It is no longer than this. */
const longestAdvice = 160;

/** What goose adds to an error of any server. */
const transient = /\n\s{0,10}please retry if you think this is a transient or recoverable error\.?\s{0,10}$/i;

/** A status before the words of a server: `401 Unauthorized`, `500 {"error":…}`. */
const statusFirst =
  /^[45]\d\d(?::| -|,)? ?(?=$|[{<"(]|[^\n]{0,200}?\b(?:error|fail|invalid|incorrect|unauthori[sz]ed|forbidden|denied|exceed|too many|unavailable|overloaded|time-?out|bad (?:gateway|request)|payment|limit|quota|expired|no body|not found(?=$|[.:,])))/i;

/** A status as programs write it, anywhere in the first sentence. */
const toldStatus =
  /\b(?:HTTP(?:\/\d(?:\.\d)?)?(?: status| code| error){0,2}|status(?: code)?|error(?: code)?):? ?\(?([45]\d\d)\b/i;

/** Words of one who did something or offers to: an answer, whatever it begins with. */
const work: readonly RegExp[] = [
  /\bI(?:'(?:ve|ll|d|m))?\b(?! (?:ran into|encountered)\b)/,
  /\b(?:fixed|added|adds|updated|implemented|refactored|rewrote|renamed|replaced|removed|handles?|handled|handling|mapped|covered|documented|committed|patched|renewed|restarted|corrected|rerun)\b/i,
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
  const bare = message.replace(decoration, '').replace(apology, '');
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
    // A number alone is one that was asked for.
    (statusFirst.test(rest) && (rest !== bare || rest.length > 3)) ||
    (rest.length <= mostLooked && nothingMore.test(rest)) ||
    telling.test(rest.slice(0, mostLooked)) ||
    saysFault(rest) ||
    (rest !== bare &&
      (stages.some((each) => telling.test(each.slice(0, mostLooked))) ||
        jsonFault(rest) !== undefined ||
        toldStatus.test(first) ||
        transient.test(bare)));
  return isFault ? faultOf(message, statusIn(first, rest), rest !== bare) : undefined;
}

function restAfter(words: RegExp, text: string): string | undefined {
  const match = words.exec(text.slice(0, mostLooked))?.[0];
  return match === undefined ? undefined : text.slice(match.length);
}

function isAdvice(rest: string | undefined): boolean {
  return rest !== undefined && rest.length <= longestAdvice && advice.some((words) => words.test(rest));
}

function saysFault(text: string): boolean {
  if (faults.some((words) => words.test(text.slice(0, mostLooked)))) return true;
  return (
    sentences.some((words) => ends.test(restAfter(words, text) ?? 'and')) ||
    curt.some((words) => isAdvice(restAfter(words, text)?.trimEnd()))
  );
}

function faultOf(message: string, status: number | undefined, isAnnounced: boolean): RelayedFault {
  const code = codeOfMessage(message, status);
  // What was recognised as an error of a server, and fits no narrower class, is its refusal to answer.
  return { code: code === 'unknown' || !isOfServer(code) ? codeOfWords(message) : code, message, status, isAnnounced };
}

/** Trying again would not help where it is about an account. */
function codeOfWords(message: string): ErrorCode {
  if (/\b(?:limit|quota|credits?|balance|funds|premium requests|trial|subscription)\b/i.test(message)) return 'quota';
  return /\bauthenticat|\b(?:token expired|sign in|log in|access to|have access)\b/i.test(message) ? 'auth' : 'server';
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
    const colon = rest.slice(0, longestAnnouncement).search(/[:\uFF1A]/);
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
