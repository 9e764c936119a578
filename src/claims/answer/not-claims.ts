import type { Block } from './blocks.ts';

/** Why a sentence says nothing about this run that could be checked. */
export type Reason =
  | 'question'
  | 'conditional'
  | 'plan'
  | 'hedge'
  | 'opinion'
  | 'vague'
  | 'advice'
  | 'quote'
  | 'others'
  | 'earlier'
  | 'irony';

const planHeading =
  /\b(?:next steps?|what'?s next|^todos?$|^to[- ]do(?: list)?$|remaining|follow[- ]?ups?|plan|planned|suggest\w*|recommend\w*|proposal|open questions?|future|outlook|how to|usage|examples?|sample|expected output|questions?|ideas|options|nächste schritte|prochaines étapes|下一步|今後|how (?:to|you can) (?:run|test|verify|use)|try it|to verify|before you merge|checklist for|still open|outstanding)\b/i;

const hedge =
  /\b(?:should(?! not have)|ought to|probably|likely|unlikely|maybe|perhaps|possibly|presumably|apparently|seemingly|hopefully|theoretically|in theory|i (?:think|believe|guess|assume|suspect|expect|suppose|reckon|hope|imagine|doubt|feel|would (?:say|guess|expect|think))|i'?m (?:fairly|pretty|quite|reasonably) (?:sure|confident|certain)|i'?m not (?:sure|certain)|as far as (?:i|we|one)|to the best of my|to my knowledge|in principle|ideally|with (?:any|a bit of) luck|fingers crossed|no idea|who knows|unsure|unclear|not (?:entirely |completely |quite )?(?:sure|certain|clear)|(?:hard|difficult|impossible) to (?:say|tell)|(?:cannot|can't|could not|couldn't|won't|not able to) (?:say|tell|confirm|guarantee|judge|know|promise|be sure|vouch|verify (?:if|whether))|confident|(?:i'm|i am|we are|we're) (?:\w+ )?(?:sure|certain|convinced)|i would bet|i bet|whether|in doubt|doubt(?:ful)?\b|claim(?:s|ed)? to|from what i can|it (?:looks|seems|appears|sounds)|looks? (?:as if|as though|like)|seems? (?:to|that|like|fine|ok)|appears? (?:to|that|fine)|might|may(?! \d)|could be|supposed to|in all likelihood|i cannot rule out|my guess|more or less|expected to|potentially|must\b)/;
const hedgeOther =
  /\b(?:sollte[n]?|wahrscheinlich|vermutlich|vielleicht|möglicherweise|wohl|anscheinend|scheint|dürfte[n]?|müsste[n]?|ich (?:denke|glaube|vermute|nehme an|hoffe)|meines wissens|soweit ich)\b|\b(?:devrai(?:t|ent)|probablement|peut-être|sans doute|apparemment|semble(?:nt)?|je (?:pense|crois|suppose|présume)|il se peut|normalement|a priori)\b|应该|可能|也许|大概|估计|似乎|好像|看起来|我想|我认为|我觉得|理论上|はずです|はずだ|と思います|と思われ|かもしれ|おそらく|たぶん|でしょう|ようです|見込み/;

const conditional =
  /^(?:in order )?to (?:make|get|have|verify|check|see|run|test|confirm|let|reproduce|try|keep|ensure)\b(?!.{0,80}, (?:i|we)\b)|^(?:so that|for .{1,60}\bto (?:pass|work|succeed|build|compile|start)\b|before \w+ing,? (?:please|you|check|make|run|ensure|verify|do|consider)\b)|\b(?:fails?|pass(?:es)?|breaks?|returns?|crash(?:es)?|throws?|works?|succeeds?|answers?|responds?|prints?|reports?) (?:\S+ ){0,4}?(?:if|when|whenever|unless|until|as long as) (?!i\b|we\b|run\b)|^(?:(?:so|and|but|then|also|otherwise|alternatively|however)[,]?\s)?(?:if|once|when|whenever|unless|until|as soon as|assuming|provided|in case|should (?:you|it|the|they|this|that|any)|had (?:the|i|you)|after you|before you|suppose|were (?:the|it|you))\b|\bif you(?:'d| would)? (?:like|want|prefer|say|agree|wish|need|allow|run|give|could|can|have|think)|\bonce (?:you|ci|it|the|they|that|we)\b.{0,60}\b(?:will|can|should|we)\b|\bwould (?:have|need|be|take|make|break|fail|pass|require)\b|\bonly if\b|\bif (?:they|it|that|this|all|everything|the tests|ci)\b.{0,80}\b(?:pass|fail|is|are|works?|succeeds?|goes|agrees?)\b|\bi'll .{0,60}\bif\b/;
const conditionalOther =
  /^(?:wenn|falls|sobald|sofern|solange)\b|\bwenn (?:du|sie|ihr|die|der|das|es|ci)\b|^(?:si|dès que|une fois|quand|lorsque|à condition|s'il|s'ils)\b|\bsi (?:vous|tu|les|le|la|tout)\b|^如果|^若|^要是|^一旦|只要|的话|^(?:もし|仮に)|(?:れば|たら|なら|場合は?)[、,]|^等|れば[、,]/;

const plan =
  /\b(?:want|wants|wanted|like|needs?|expect|expects|expected|wish|hope|allow|allows) (?:\S+ ){1,4}to (?:pass|succeed|build|compile|work|run|be)\b|\bneed to (?!be\b)|\b(?:i|we)(?:'ll| will| shall| plan| intend| am going| are going|'m going|'re going| would| could(?! not\b| reproduce\b| see\b| confirm\b| only\b)| can (?:also|then|now|do|add|fix|take|look|open|run|finish)|'d)\b|\b(?:going to|next,? i|next up|next step|the next step|will be (?:added|done|run|fixed|pushed|merged|removed|updated|tested)|to be (?:done|added|fixed|decided)|still (?:to do|needs?|need to|has to|have to|left to do)|remains? to be|needs? to be|has to be|have to be|todo:|tbd|later i|later on|tomorrow|will (?:pick|run|take|need|follow|tell|know|show|then|also|now|be)|in a follow[- ]?up|as a next step|planned|let me\b)/;
const planOther =
  /\b(?:ich werde|wir werden|als nächstes|demnächst|geplant|ich würde|ich kann (?:auch|gern|das)|anschließend werde|noch zu tun|muss noch)\b|\b(?:je vais|nous allons|je peux|prochaine étape|ensuite je|à faire|je ferai|je pourrai[st]?|il reste à)\b|接下来|下一步|我会|我将|将会|打算|稍后|随后我|我可以|次に、|予定です|つもりです|これから|今後|しましょうか|できます。?$/;

const others =
  /\b(?:according to(?! (?:a|the|my|this|our) (?:search|grep|output|log|run|results?|test))|the (?:sub-?agents?|user|issue|ticket|docs?|documentation|readme|changelog|release notes|author|maintainers?|comment|log from|report|reviewer|colleague|team|previous agent|other agent|agent|helper|worker|assistant|explorer|researcher|specification|spec sheet|manual|upstream|error message|commit message)s? (?:says?|said|reports?|reported|claims?|claimed|states?|stated|mentions?|mentioned|told|tells|notes?|noted|writes|wrote|describes?|described|asks?|asked|promises?|confirms?|confirmed|suggests?|suggested|recommends?|insists?|assures?|assured|wants?|wanted|announced|finds|found)|(?:sub-?agents?|colleague|co-?worker|teammate|helper agent|somebody|someone|your (?:boss|manager|colleague|team|message|task|request|instructions?|note|issue))\b.{0,60}\b(?:says?|said|reports?|reported|claims?|claimed|states?|stated|told|confirms?|confirmed|writes|wrote|that)|as reported by|in the words of|it is said|they say|reportedly|allegedly|told me that|reports back|you(?:'ve| have)? (?:asked|said|told|wanted|mentioned|wrote|requested|reported|stated|noted|described|claimed|quoted|suggested|gave|specified)|your (?:request|instructions?|message|task|question|goal) (?:was|is|says?|said)|the (?:task|request|brief|prompt|goal|job|assignment) (?:was|says?|said|asks?|asked|is))\b/;
const othersOther =
  /\b(?:laut|gemäß|du (?:hast|wolltest|sagtest)|sie (?:haben gebeten|wollten|sagten|hatten)|der kollege|die kollegin|ihr kollege|dein kollege|der (?:sub-?agent|unteragent)|angeblich|wie gewünscht)\b|\b(?:selon|d'après|vous (?:avez|aviez|vouliez|m'avez)|tu (?:as|avais|voulais|m'as)|votre collègue|ton collègue|le sous-agent)\b|据说|根据(?!.{0,6}(?:输出|结果))|你(?:说|要求|让我|提到)|您(?:说|要求|让我|提到)|同事|子代理|子任务|によると|とのこと|と言って|依頼(?:は|で)|サブエージェント|同僚/;

const earlier =
  /\b(?:last (?:week|month|year|time|night|session|release|run of yours|friday|monday|tuesday|wednesday|thursday)|yesterday|(?:in|from|during) (?:an?|the|my|our) (?:(?:earlier|previous|prior|last) (?:session|conversation|chat|thread|task)|(?:earlier|previous|prior) (?:run|attempt))|previously,? (?:they|we|you|it|all|the)|in the past|years? ago|weeks? ago|days? ago|months? ago|back then|historically|before this (?:session|task)|on (?:my|your) (?:previous|last) (?:visit|session)|a while ago|some time ago|the other day|in (?:january|february|march|april|may|june|july|august|september|october|november|december)\b)/;
const earlierOther =
  /\b(?:letzte[nrs]? (?:woche|monat|mal|jahr)|gestern|neulich|vor (?:einer|zwei|drei|ein paar) (?:wochen?|tagen?|monaten?)|in der vorigen sitzung)\b|\b(?:la semaine dernière|le mois dernier|hier|la dernière fois|l'autre jour|il y a (?:une|deux|quelques))\b|上周|昨天|上次|之前的会话|以前|先週|昨日|前回|以前/;

const irony =
  /\b(?:oh sure|yeah,? right|pigs (?:can|might|could|will) fly|of course it (?:does|did|is)|ha ?ha|just kidding|joking|sarcas\w+|oh yes, and|surprise, surprise|in (?:my|your) dreams|famous last words|what could (?:possibly )?go wrong|as if\b|wouldn't that be (?:nice|great)|because of course|if only)\b|\b(?:ja klar|schön wär'?s|ironie|von wegen)\b|\b(?:mais bien sûr|ben voyons)\b|才怪|冗談/;

const advice =
  /^(?:then |and |now |finally |first |also )?(?:please\b)|^(?:then (?=(?:run|push|commit|open|merge|deploy|start|install)\b))?(?:try|run|re-?run|execute|use|make sure|ensure|remember|consider|note that you|feel free|let me know|tell me|check out|have a look|take a look|see|refer|call|open|visit|start|restart|set|review|verify|confirm|test|install|commit|push|merge|deploy|keep|avoid|don't|do not|never|always|be sure|be careful|go ahead|just|simply|don't forget|you(?:'ll| will| may| can| could| should| might| need| must| ought| have to|'d| would| want))\b(?![/._-]\w|:| (?:tests?|suite|output|result|files?|checks?|pass\w*|fail\w*|succe\w*|runs?|green|red|is|are|was|were|has|have|of|in|clean|ok|status|time|step|[0-9a-f]{7,40})\b| [-–—✅❌→])|\b(?:i(?:'d| would)? (?:strongly |also )?(?:recommend|suggest|advise|propose)|my (?:recommendation|suggestion|advice)|(?:it is|it's) (?:best|recommended|advisable|worth|a good idea|safe to)|you (?:may|can|could|should|might|need to|must|ought to|have to|will (?:want|need)|want to)|are best|is best|worth (?:a|checking|adding|doing|considering)|recommended (?:to|that)|it would be (?:good|nice|better|worth|wise)|better to|needs? (?:a|your) (?:review|decision|approval))\b/;
const adviceOther =
  /^(?:bitte|führen sie|führe|prüfen sie|prüfe|starten sie|achten sie|denk)\b|\b(?:ich empfehle|empfehlenswert|sie können|du kannst|sie sollten|du solltest)\b|^(?:veuillez|pensez|lancez|exécutez|vérifiez|n'oubliez pas|essayez)\b|\b(?:je (?:vous )?(?:recommande|conseille|suggère)|vous pouvez|vous devriez|il faudrait)\b|^请|建议|推荐|您可以|你可以|ください|おすすめ|お勧め|推奨/;

const question =
  /\?["')\]*_`]*\s*$|^(?:do|does|did|is|are|was|were|shall|should|can|could|would|will|have|has|want|what|which|why|how|who|where|when) (?:you|i|we|it|the|they|this|that|there|me)\b.{0,200}\?/;
const questionOther = /吗[。.]?$|呢[。.]?$|ますか[。.]?$|でしょうか[。.]?$|ですか[。.]?$|ませんか[。.]?$/;

const vague =
  /^(?:\W{0,4}(?:all )?(?:done|fixed|finished|completed?|ready|good|great|perfect|works?|everything works|all good|all set|that's it|there you go|voilà|hope this helps|summary|sure|okay|ok|hi|hello|thanks|cheers|enjoy|fertig|erledigt|terminé|c'est fait|完成|完了しました|以上)\W{0,4})$/;

/** What opens or ends a sentence and makes all of it a guess, or somebody else's word. */
const opening =
  /^(?:(?:as far as (?:i|we|one)\b|to the best of my|to my knowledge|from what i can|by the looks? of|according to (?!(?:a|the|my|this|our) (?:search|grep|output|log|run|results?|test))|per the (?!(?:output|log|results?))|in (?:theory|principle|all likelihood)|most likely|with (?:any|a bit of) luck)[^,]{0,80}|ideally|presumably|apparently|hopefully|allegedly|supposedly|reportedly|probably|possibly|perhaps|maybe|seemingly|expected|wanted),\s|^(?:ideally|presumably|apparently|hopefully|allegedly|supposedly|reportedly|probably|seemingly)\b/;
/** What is meant to be, not what is. */
const aim =
  /^(?:the |my |our |your )?(?:plan|goal|idea|aim|todo|to do|expected(?: result| output| outcome)?|wanted|next(?: up| steps?)?|remaining|hint|tip|usage|example|note to self|to verify|steps? to|how to|acceptance criteria|requirements?|wish list|open)\b[^:]{0,30}:/;
/** What a command or a script is for: `npm run build` builds the project. */
const described =
  /^(?:the )?[\w./:@-]+(?: [\w./:@-]+){0,3}?(?: (?:script|command|target|task|job|step))? (?:runs|builds|executes|starts|lints|checks|compiles|invokes|calls|installs|generates|creates|launches) (?:the|all|a|an|your|every|both|each|jest|vitest|mocha|pytest|eslint|tsc|prettier|ruff)\b(?!.{0,80}\b(?:clean|without|success\w*|fine|pass\w*|fail\w*|green)\b)/;
const closing =
  /(?:,| [—–-]|\() ?(?:i (?:think|guess|believe|suppose|assume|hope|suspect|reckon|presume|imagine|would say|trust)|(?:at least )?as far as (?:i|we)\b[^,.]{0,40}|(?:or )?so (?:i think|it seems|i hope|they say)|it (?:seems|appears)|apparently|presumably|hopefully|probably|supposedly|allegedly|reportedly|maybe|perhaps|if i(?:'m| am) not mistaken|if i remember[^,.]{0,30}|if all goes well|to my knowledge|from what i can (?:see|tell)|(?:you|he|she|they|the (?:task|user|issue|ticket|docs?|readme|sub-?agent|agent|report|comment)|your (?:colleague|message|task)) (?:said|says?|told me|claims?|claimed|reports?|reported|wrote|writes|insists?))\)?[.!)\]*_]*$/;

/** Undefined: it may be a claim. Asked of whole sentences. */
export function reasonOf(plain: string, block: Block): Reason | undefined {
  if (question.test(plain) || questionOther.test(plain)) return 'question';
  if (irony.test(plain)) return 'irony';
  if (conditional.test(plain) || conditionalOther.test(plain)) return 'conditional';
  if (planHeading.test(block.heading) && block.kind !== 'heading') return 'plan';
  if (block.kind === 'item' && planHeading.test(block.intro)) return 'plan';
  if (earlier.test(plain) || earlierOther.test(plain)) return 'earlier';
  if (aim.test(plain)) return 'plan';
  if (opening.test(plain) || closing.test(plain)) return 'hedge';
  if (vague.test(plain)) return 'vague';
  return undefined;
}

/** Asked of clauses: another clause of the same sentence may be a claim. */
export function reasonOfClause(plain: string): Reason | undefined {
  if (described.test(plain)) return 'advice';
  if (
    ((others.test(plain) &&
      !/\b(?:docs?|documentation|readme|changelog|manual|guide) (?:says?|mentions?|states?|notes?|describes?)\b.*\b(?:now|also|too|as well)\b/.test(
        plain,
      )) ||
      othersOther.test(plain)) &&
    !/\b(?:and|so|but) i (?:did(?: not|n't)?|have(?: not|n't)?)\b/.test(plain)
  )
    return 'others';
  if (hedge.test(plain) || hedgeOther.test(plain)) return 'hedge';
  if (plan.test(plain) || planOther.test(plain)) return 'plan';
  if (advice.test(plain) || adviceOther.test(plain)) return 'advice';
  return undefined;
}
