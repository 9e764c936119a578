/**
 * An answer that says nothing of any work, in a run that counts as done: the prompt never arrived, so the agent asks what to do; or it says
 * what it will do, and stops.
 */
export type IdleAnswer = 'asks' | 'announces';

interface Circumstances {
  /** Empty: not known. */
  prompt: string;
  /** It called a tool at any time. */
  hasCalled: boolean;
}

/** Nothing but greetings, offers and announcements is that short. */
const mostChars = 1500;
const mostAnnounced = 500;
const mostSentences = 4;

export function idleAnswer(answer: string, { prompt, hasCalled }: Circumstances): IdleAnswer | undefined {
  if (answer === '' || answer.length > mostChars || answer.includes('```')) return undefined;
  const sentences = sentencesOf(answer.replaceAll('’', "'"));
  if (!hasCalled && asks(sentences, prompt.slice(0, mostChars))) return 'asks';
  const isAnnounced =
    answer.length <= mostAnnounced && announces(sentences) && !wantsPlan.test(prompt.slice(0, mostChars));
  return isAnnounced ? 'announces' : undefined;
}

interface Sentence {
  /** In lower case, without marks of lists and emphasis. */
  text: string;
  words: number;
  isListItem: boolean;
}

function sentencesOf(answer: string): Sentence[] {
  return answer.split('\n').flatMap((line) => {
    const bare = line.replace(/^[\s>#]*/, '');
    const text = bare.replace(/^(?:[-*•+] |\d{1,3}[.)] )/, '').replaceAll(/[*_]/g, '');
    const isListItem = text.length < bare.length && /^[-*•+\d]/.test(bare);
    return text
      .split(/(?<=[.!?…:])\s/)
      .map((part) => part.trim().toLowerCase())
      .filter((part) => /[\p{L}\p{N}]/u.test(part))
      .map((part) => ({ text: part, words: part.split(/\s+/).length, isListItem }));
  });
}

const greeting =
  /^(?:hi|hello|hey|sure|okay|ok|great|got it|understood|certainly|of course|alright|all right|absolutely|thanks|thank you|no problem|welcome|sounds good|perfect|right|yes|i understand|i see)\b/;
const mostGreeting = 7;

/** Who it is, and what it could do. */
const offer =
  /^(?:i'm|i am|i can|i'd be|i would be|i'll be|as) (?:(?:here|ready|happy|glad|available|able|set|all set|pleased|an?|your|also) |help|assist|.{1,60}\bhelp\b|.{1,60}\bassist\b)/;
const offersOf = /^(?:for example|such as|some examples|examples|here are (?:some|a few)|things i can|i can help)\b/;

/** What people say who were told nothing. */
const missing = [
  /^(?:but |so |however,? )?(?:it (?:looks|seems|appears) (?:(?:like|as if|as though|that) )?)?(?:your|the|this) (?:message|prompt|request|task|input|question) (?:is|was|came through|came in|arrived|seems|appears|looks|may have been|might have been)(?: to (?:be|have been))? (?:empty|blank|cut off|missing|incomplete)/,
  /^(?:but |so |however,? )?(?:it (?:looks|seems|appears) (?:(?:like|as if|as though|that) )?)?(?:no|there's no|there is no|there was no|i don't see (?:a|any|your|the)|i do not see (?:a|any|your|the)|i didn't (?:receive|get|see) (?:a|any|your|the)|i did not (?:receive|get|see) (?:a|any|your|the)|i haven't (?:received|been given) (?:a|any|your|the)|you haven't (?:given|provided|asked|told|specified)(?: me)?(?: (?:a|any|your|the))?|you didn't (?:give|provide|ask|tell|specify)(?: me)?(?: (?:a|any|your|the))?)(?: specific| actual| clear| concrete| particular)? (?:task|message|prompt|request|question|instructions?|anything|query|what)\b/,
];

/** Asks for the task, whatever it is. */
const wants = [
  /^what(?:'s| is) (?:the|your|on your) (?:task|question|request|goal|mind|prompt)\b/,
  /^(?:please |could you (?:please )?|can you (?:please )?|would you (?:please )?|kindly )(?:provide|share|tell me|let me know|describe|specify|give me|send|state|clarify|type|enter)(?: me)? (?:the|your|a|more about the|more about your) (?:\w{1,20} )?(?:task|request|question|instructions|prompt|details|issue|problem you|goal)\b/,
  /^(?:just |please |simply )?(?:let me know|tell me) (?:how i can|how i could|which task)/,
  /^(?:do you have|is there) (?:a |any |some)?(?:thing|one|something|anything|specific|particular|task|question|request)\b/,
];
/** "What would you like me to work on today?" is made of these alone. */
const whatWords = new Set(
  `a about accomplish achieve and are begin build building can change code codebase could create do done explore feature first fix for get
  going goal have help here i i'm i'll in is kind like me mind need next now of on or our prefer problem exactly together you'd you're we'll specific project repo repository should start tackle
  task the this to today us want we wish with work working would you your bug`.split(/\s+/),
);
const asksWhat =
  /^(?:(?:so|but|and|now),? )?(?:(?:please |just |simply |could you (?:please )?|can you (?:please )?)?(?:let me know|tell me|share|describe|specify|provide|type|clarify) (?:with me )?(?:more about )?)?what\b/;
const someone = /\b(?:you|we|i|your)\b/;
const wantsTask = (text: string): boolean =>
  wants.some((each) => each.test(text)) ||
  (asksWhat.test(text) &&
    someone.test(text) &&
    text
      .replace(asksWhat, '')
      .split(/[^a-z']+/)
      .every((word) => word === '' || whatWords.has(word)));
/** These may also answer a greeting. */
const mild =
  /^(?:so,? |but,? |and |now,? )?(?:how (?:can|may|could|should) i (?:help|assist)|what can i (?:do|help))\b/;
const mostWantWords = 22;

/** The whole sentence is about the task as such: what names a file, a name or a number asks something of its own. */
const isAboutSomething = /[`\d/\\"“”@#$]|\w\.\w|\bor\b.{0,80}\?$/;

/** A prompt that such an answer fits: it says hello, or asks to be asked. */
const wantsGreeting =
  /\b(?:hello|hallo|hi|hey|greet\w*|good (?:morning|evening|afternoon)|ask me|introduce yourself|who are you|what can you|are you there|ping|wait|ready)\b/i;

function asks(sentences: readonly Sentence[], prompt: string): boolean {
  if (wantsGreeting.test(prompt)) return false;
  let isAsking = false;
  let isListed = false;
  for (const { text, words, isListItem } of sentences) {
    const isFree = !isAboutSomething.test(text);
    const isWanted = isFree && words <= mostWantWords && wantsTask(text);
    // Who greets an unknown prompt may have been greeted.
    const isMild = mild.test(text) && isFree && prompt.trim() !== '';
    const isMissing = missing.some((each) => each.test(text));
    isAsking ||= isWanted || isMild || isMissing;
    const isOffer: boolean = offer.test(text) || offersOf.test(text) || mild.test(text) || isListed;
    if (text.endsWith(':')) isListed = isOffer || isWanted;
    const isGreeting = greeting.test(text) && words <= mostGreeting;
    if (!isWanted && !isMissing && !isOffer && !isGreeting) return false;
    if (isListItem && !isListed && !isWanted) return false;
  }
  return isAsking;
}

const openings = new Set('first now next then finally ok okay sure great alright so and to begin start'.split(' '));
const intents = [
  "i'll ",
  'i will ',
  "i'm going to ",
  'i am going to ',
  "i'm now going to ",
  'let me ',
  "let's ",
  "i'm about to ",
];
const manners = new Set(
  'now first then also next just quickly go ahead and get by with on proceed to continue started'.split(' '),
);
const work =
  /^(?:start|begin|look|check|explor|examin|inspect|investigat|read|review|search|find|run|creat|writ|implement|fix|add|updat|analy[sz]|open|take$|set$|refactor|build|mak|modify|dig|trac|scan|gather|tackl|debug|reproduc|locat|edit)/;

function isAnnouncement(text: string): boolean {
  const words = text.split(/[,\s]+/);
  const rest = words.slice(words.findIndex((word) => !openings.has(word))).join(' ');
  const intent = intents.find((each) => rest.startsWith(each));
  if (intent === undefined) return false;
  const verb = rest
    .slice(intent.length)
    .split(' ')
    .find((word) => !manners.has(word));
  return verb === undefined ? rest.includes('started') : work.test(verb.replace(/[^a-z]/g, ''));
}

/** It depends on somebody else, or is a promise for later. */
const depends =
  /\b(?:if|once|when|whenever|after you|unless|until|as soon as|your (?:approval|permission|confirmation|go-ahead|review)|next time|from now on|always|going forward|in (?:the )?future|tomorrow|later)\b/;
const wantsPlan =
  /\b(?:plan|propose|outline|approach|how would you|what would you|describe|without doing|do not|don't|say|repeat|reply|answer|echo|print)\b/i;

function announces(sentences: readonly Sentence[]): boolean {
  if (sentences.length === 0 || sentences.length > mostSentences) return false;
  const isAnnounced = ({ text, isListItem }: Sentence): boolean =>
    isAnnouncement(text) && !depends.test(text) && !isListItem && !text.endsWith('?');
  return (
    sentences.some(isAnnounced) &&
    sentences.every((each) => isAnnounced(each) || (greeting.test(each.text) && each.words <= mostGreeting))
  );
}
