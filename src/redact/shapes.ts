import type { Boundary } from './boundary.ts';
import { prefixed } from './prefixes.ts';
import {
  hasDigit,
  holdsPrivateKey,
  isCookie,
  isHex,
  isKeyOfQuery,
  isMixed,
  isNameAndPassword,
  looksRandom,
} from './randomness.ts';
import { jwkMembers } from './secret-documents.ts';
import { holdsCookie } from './secret-fields.ts';
import { keyNames, passwordNames } from './secret-field-names.ts';
import { aFlag, aVariable, passwordShapes } from './password-shapes.ts';
import { kubernetesShapes } from './kubernetes.ts';
import type { Tail } from './secret-pattern.ts';
import { afterIndex, afterName, afterNames, between, indexBegins, proseGaps } from './gaps.ts';

/** What a secret of one kind looks like. Patterns use the syntax of pattern.ts. */
export interface Shape {
  /** Shown in its place: `[redacted:name]`. */
  name: string;
  /** The secret, or enough of its beginning to be certain. */
  secret: string;
  /** The characters that continue it, however many. */
  tail?: string;
  /** What must precede it; kept in the text. */
  context?: string;
  /** Where a context ends that goes on beyond its pattern; or `fails`, or `undecided`. */
  contextEnd?: (text: string, at: number, final: boolean) => number;
  /** Where it ends, if its beginning alone does not decide; or `fails`, or `undecided`. */
  bodyEnd?: (text: string, at: number, final: boolean) => number;
  /** What continues it, where a run of characters does not. */
  entries?: Tail;
  /** What must follow it; kept in the text. */
  after?: string;
  /** What also belongs to it where `after` occurs again: a password may contain an `@`, and the last one ends it. */
  goesOn?: string;
  boundary?: Boundary;
  /** What the characters immediately before it must match. */
  behind?: RegExp;
  /** What must occur somewhere before it on the same line. */
  inLine?: RegExp;
  ignoreCase?: true;
  accept?: (secret: string, context: string) => boolean;
  /** Its body spans many lines. */
  block?: true;
  /** Base64 that may be folded: it continues across line breaks. */
  folds?: true;
  /** It begins with arbitrary characters, too many beginnings to list, and is found by hex-keys.ts or signed-keys.ts. */
  startsWithHex?: true;
}

const word = '[A-Za-z0-9]';
const name = '[A-Za-z0-9_-]';
const base64 = '[A-Za-z0-9+/]';
const hex = '[0-9a-f]';

/** One pattern for `api_key`, `api-key`, `apiKey`, `API_KEY` and `apikey`. */
const named = (words: string): string => words.replaceAll('_', '[_-]{0,1}');

const assigned: Omit<Shape, 'context'> = {
  name: 'assigned-secret',
  secret: '[A-Za-z0-9+/=_.~!@#$%^&*-]{12,256}',
  tail: '[A-Za-z0-9+/=_.~!@#$%^&*-]',
  ignoreCase: true,
};
/** Anchored at the end: looking back from there is faster than searching from the left. */
const keyName = new RegExp(`$(?<=(?:${keyNames})[ _-]?)`, 'i');
const names = `(?:token|secret|credentials?|(?:${keyNames})[ _-]?key)`;
const nameBefore = new RegExp(names + afterName, 'i');
const indexBefore = new RegExp(`${indexBegins}${names}$`, 'i');
/** A commit or a UUID may follow such a word in prose; only an assignment makes it a secret. */
const isAssigned = (secret: string, context: string): boolean =>
  looksRandom(secret) && (!isHex(secret) || /[:=]/.test(context));
/** Prose often mentions secrets without revealing them: only what is certainly not a word, number or commit is taken for one. */
const isInProse = (secret: string): boolean => looksRandom(secret, 12) && isMixed(secret);

/** Keys whose prefix is too short to identify them: what follows must look like a key. */
const shortPrefixed: Record<string, string> = {
  'brave-key': `BSA${name}{27}`,
  'clickhouse-key': `4b1d${word}{38}`,
  'crates-token': `cio${word}{32}`,
  'modal-token': `a[ks]-${word}{22}`,
  'square-token': `EAAA${name}{60}`,
  'facebook-token': `EAA${word}{60}`,
  'twitter-token': 'A{19,22}[B-Za-z0-9%][A-Za-z0-9%]{60}',
  'voyage-key': `pa-${name}{43}`,
  'backblaze-key': `K00[0-9]${base64}{27}`,
  'gemini-key': `AQ\\.Ab${name}{40}`,
  'instagram-token': `IG[AQ][A-Z]${word}{60}`,
  'threads-token': `THAA${word}{60}`,
};
/** A path before a slash: in base64, a slash is followed by anything. */
const afterSlash = /(?:^|[\s"'`(=./:])[a-z0-9.-]{0,30}\\?\/$/;

/** How the bytes of a private key begin, whatever line stood before them. */
const privateKeyBytes = [
  `MII${base64}{2}[AQgw]IBA[AD][AK][CN]${base64}{20}`,
  `MII${base64}{5}BgkqhkiG9w0BBQ0w${base64}{20}`,
  `MIG${base64}AgEAMB[A-Z]GByqGSM49${base64}{20}`,
  `MIHuAgEAMB[A-Z]GByqGSM49${base64}{20}`,
  `MI[GH]${base64}AgEBBD${base64}{30}`,
  `MH[cQ]CAQEEI${base64}{30}`,
  `MC4CAQAwBQYDK2V${base64}{20}`,
  `b3BlbnNzaC1rZXktdjE${base64}{20}`,
];

/** A key of Azure, or the rest of one. */
const isSigned = (key: string): boolean => /AZDO\w{4}$|JQQJ9\w{27}$/.test(key);

/** Hosts whose URLs are credentials: anyone who knows one can post to it. */
const webhooks: Record<string, readonly [context: string, secret: string]> = {
  'slack-webhook': ['hooks\\.slack\\.com/[a-z]{6,12}/', '[A-Za-z0-9/]{20}'],
  'discord-webhook': ['discord\\.com/api/webhooks/[0-9]{15,22}/', `${name}{40}`],
  'discordapp-webhook': ['discordapp\\.com/api/webhooks/[0-9]{15,22}/', `${name}{40}`],
  'teams-webhook': ['/webhook[b2]{0,2}/', '[0-9a-f-]{36}@[0-9a-f-]{36}/[A-Za-z]{5,20}/[A-Za-z0-9/-]{32}'],
  'zapier-webhook': ['hooks\\.zapier\\.com/hooks/catch/', '[A-Za-z0-9/]{10}'],
  'ifttt-webhook': ['maker\\.ifttt\\.com/trigger/[^\\s/]{1,64}/with/key/', `${name}{20}`],
  'make-webhook': ['hook\\.[a-z]{2}[0-9]\\.make\\.com/', `${word}{20}`],
  'feishu-webhook': ['/v2/hook/', `${name}{20}`],
  'wecom-webhook': ['qyapi\\.weixin\\.qq\\.com/cgi-bin/webhook/send\\?key=', `${name}{20}`],
};

/** Parts of a signed URL, or headers of a signed request. */
const signatures = [
  'X-Amz-Signature',
  'X-Amz-Security-Token',
  'X-Goog-Signature',
  'X-Oss-Signature',
  'X-Oss-Security-Token',
  'X-Cos-Security-Token',
];

/** The shortest member of a JSON Web Key, of an elliptic curve, has 32 bytes. */
const shortestMember = 42;

/** Parameters of a query whose values are keys, if they look like one; those whose names say it are found by their names. */
const queryNames = [
  'key auth code sig sign signature pass pw hmac hash jwt sid session sessionid ticket',
  'otp assertion code_verifier device_code access_key sk credential authkey auth_key saml',
].flatMap((line) => line.split(' '));

/** This many characters of a secret, or of its context, decide whether it is searched for. */
export const headLength = 3;

/** Every kind we know. Where two fit at one place, the first wins. */
export const secretShapes: readonly Shape[] = [
  ...Object.entries(prefixed).flatMap(([kind, patterns]) =>
    patterns.map((secret): Shape => ({ name: kind, secret, tail: tailOf(secret) })),
  ),
  { name: 'openai-key', secret: `sk-${word}{20,64}`, tail: name, boundary: 'name', accept: hasDigit },
  { name: 'github-token', secret: `ghs_[0-9]{1,12}_eyJ${name}{20}`, tail: '[A-Za-z0-9_.-]' },
  { name: 'elevenlabs-key', secret: 'sk_[0-9a-f]{40}', tail: '[0-9a-f]', boundary: 'name' },
  { name: 'twilio-key', secret: 'SK[0-9a-f]{32}', tail: '[0-9a-f]', boundary: 'name' },
  { name: 'mailgun-key', secret: 'key-[0-9a-f]{32}', tail: '[0-9a-f]', boundary: 'name' },
  ...Object.entries(shortPrefixed).map(([kind, secret]): Shape => ({
    name: kind,
    secret,
    tail: tailOf(secret),
    boundary: 'base64',
    accept: (key) => isMixed(key) && !isHex(key),
  })),
  ...Object.entries(shortPrefixed).map(([kind, secret]): Shape => ({
    name: kind,
    secret,
    tail: tailOf(secret),
    boundary: 'any',
    behind: afterSlash,
    accept: (key) => isMixed(key) && !isHex(key),
  })),
  {
    name: 'google-hmac-key',
    secret: 'GOOG[A-Z0-9]{20}',
    tail: '[A-Z0-9]',
    accept: (id) => (id.match(/\d+/g)?.length ?? 0) >= 3,
  },
  { name: 'discord-token', secret: `mfa\\.${name}{30}`, tail: name, boundary: 'name', accept: isMixed },
  // Triggered by the end of the prefix, which is rarer in other texts than its beginning.
  {
    name: 'neon-key',
    context: 'api_',
    secret: '[a-z0-9]{40}',
    tail: '[a-z0-9]',
    behind: /(?:^|[^A-Za-z0-9]|\\n|\dm)n$/,
  },
  { name: 'openshift-token', context: '256~', secret: `${name}{43}`, tail: name, behind: /sha$/ },
  { name: 'wandb-key', context: 'db_v1_', secret: `${name}{40}`, tail: name, behind: /wan$/ },
  { name: 'vercel-token', context: '_blob_rw_', secret: '[A-Za-z0-9_]{30}', tail: '[A-Za-z0-9_]', behind: /vercel$/ },
  {
    name: 'vault-token',
    secret: `s\\.${word}{24,25}`,
    boundary: 'name',
    accept: (token) => token.length === 26 && isMixed(token),
  },
  { name: 'intercom-token', secret: `dG9rO${base64}{40}`, tail: '[A-Za-z0-9+/=]', boundary: 'base64', accept: isMixed },
  { name: 'mailchimp-key', secret: `${hex}{32}-us[0-9]{1,2}`, boundary: 'name', startsWithHex: true },
  // Not secrets but signs of one: where they occur, the text before them is examined, which would cost too much for every text.
  { name: 'mailchimp-key', secret: '-us[0-9]', boundary: 'any', accept: () => false },
  { name: 'private-key', secret: '-----END ', boundary: 'any', accept: () => false },
  { name: 'azure-key', secret: `${word}{12,84}`, boundary: 'any', startsWithHex: true, accept: isSigned },
  { name: 'azure-key', secret: 'AZDO', boundary: 'any', accept: () => false },
  { name: 'azure-key', secret: 'JQQJ9', boundary: 'any', accept: () => false },
  { name: 'azure-key', context: 'PAT["\' :=]{1,4}', secret: `${word}{84}`, accept: isSigned },
  { name: 'asana-token', context: '[12]/[0-9]{13,17}[/0-9]{0,18}:', secret: `${hex}{32}`, tail: hex, boundary: 'word' },
  {
    name: 'facebook-app-token',
    context: '[0-9]{2}\\|',
    secret: `${name}{27}`,
    tail: name,
    behind: /(?<!\d)\d{11,15}$/,
    accept: hasDigit,
  },
  // The three parts are base64url of JSON, JSON and bytes; base64 of `{"` is `eyJ`.
  { name: 'jwt', secret: `eyJ${name}{8,4096}\\.eyJ${name}{8}`, tail: '[A-Za-z0-9_.=-]', boundary: 'name' },
  // A JWS without its content; a JWE has five parts, of which the second may be empty.
  { name: 'jwt', secret: `eyJ${name}{16,4096}\\.\\.${name}{40}`, tail: '[A-Za-z0-9_.=-]', boundary: 'name' },
  {
    name: 'jwe',
    secret: `eyJ${name}{16,4096}\\.${name}{0,2048}\\.${name}{8,2048}\\.${name}{4}`,
    tail: '[A-Za-z0-9_.=-]',
    boundary: 'name',
  },
  // The first part is base64 of a number written in digits.
  {
    name: 'discord-token',
    secret: `[MNO][DTjz][AEIMQUYcgk]${name}{20,27}\\.${name}{6}\\.${name}{27}`,
    tail: name,
    boundary: 'name',
  },
  {
    name: 'private-key',
    secret: '-----BEGIN [A-Z0-9 ]{7,40}-----',
    boundary: 'any',
    accept: (line) => line.includes('PRIVATE KEY'),
    block: true,
  },
  { name: 'private-key', secret: 'Private-Lines: [0-9]{1,4}', boundary: 'any', block: true },
  ...privateKeyBytes.map((secret): Shape => ({ name: 'private-key', secret, boundary: 'base64', block: true })),
  { name: 'private-key', secret: `LS0tLS1CRUdJTi${base64}{40}`, boundary: 'any', folds: true, accept: holdsPrivateKey },
  { name: 'private-key', context: 'client-key-data[ \\t"\'\\\\:]{1,6}', secret: `${base64}{40}`, folds: true },
  { name: 'telegram-bot-token', context: ':', secret: `AA${name}{32}`, tail: name, behind: /(?<!\d)\d{8,10}$/ },
  {
    name: 'azure-client-secret',
    secret: '[0-9]Q~[A-Za-z0-9_.~-]{30}',
    tail: '[A-Za-z0-9_~-]',
    boundary: 'any',
    behind: /[A-Za-z0-9_.~-]{3}$/,
  },
  {
    name: 'terraform-token',
    secret: `\\.atlasv1\\.${name}{50}`,
    tail: name,
    boundary: 'any',
    behind: /[A-Za-z0-9]{14}$/,
  },
  { name: 'azure-storage-key', context: 'AccountKey=', secret: '[A-Za-z0-9+/]{60}', tail: '[A-Za-z0-9+/=]' },
  { name: 'azure-shared-access-key', context: 'SharedAccessKey=', secret: '[A-Za-z0-9+/]{40}', tail: '[A-Za-z0-9+/=]' },
  ...jwkMembers.map((each): Shape => ({
    name: 'jwk-private',
    context: `"${each}\\\\{0,3}"[ \\t]{0,2}:[ \\t]{0,4}\\\\{0,3}"`,
    secret: `${name}{22,2048}`,
    after: '["\\\\]',
    accept: (value) => value.length >= shortestMember && isMixed(value),
  })),
  // The same in YAML and JavaScript.
  ...jwkMembers.map((each): Shape => ({
    name: 'jwk-private',
    context: `${each}: ["']{0,1}`,
    boundary: 'name',
    secret: `${name}{${shortestMember},2048}`,
    accept: isMixed,
  })),
  { name: 'azure-sas', context: '[?&;]sig=', secret: '[A-Za-z0-9%+/]{40}', tail: '[A-Za-z0-9%+/=]' },
  { name: 'azure-sas', context: 'SharedAccessSignature=', secret: '[^ \\n\\t"\']{30}', tail: '[^ \\n\\t"\']' },
  ...Object.entries(webhooks).map(([kind, [context, secret]]): Shape => ({
    name: kind,
    context,
    secret,
    tail: tailOf(secret),
  })),
  {
    name: 'webhook-url',
    context: '/hooks/',
    secret: '[a-z0-9]{26}',
    tail: '[a-z0-9]',
    accept: (id) => looksRandom(id, 26),
  },
  {
    name: 'aws-secret-key',
    context: named('secret_access_key') + between,
    secret: '[A-Za-z0-9/+]{40}',
    tail: '[A-Za-z0-9/+=]',
    ignoreCase: true,
  },
  {
    name: 'aws-session-token',
    context: `token${between}`,
    behind: /session[_-]?$/i,
    secret: '[A-Za-z0-9/+=]{80}',
    tail: '[A-Za-z0-9/+=]',
    ignoreCase: true,
  },
  {
    name: 'bearer-token',
    context: 'Bearer[ \\t%+]{1,3}',
    secret: '[A-Za-z0-9._~+/=-]{16,256}',
    tail: '[A-Za-z0-9._~+/=-]',
    ignoreCase: true,
    boundary: 'word',
    accept: (token) => hasDigit(token) && /[A-Za-z]/.test(token),
  },
  {
    name: 'basic-auth',
    context: 'Basic[ \\t]{1,2}',
    secret: '[A-Za-z0-9+/]{8,8192}={0,2}',
    ignoreCase: true,
    boundary: 'word',
    accept: isNameAndPassword,
  },
  {
    name: 'authorization',
    context: 'zation[ \\t"\'`\\\\:=]{1,8}[A-Za-z0-9-]{3,20}[ \\t]{1,2}',
    behind: /authori$/i,
    secret: '[A-Za-z0-9._~+/=:-]{16,256}',
    tail: '[A-Za-z0-9._~+/=:-]',
    ignoreCase: true,
    accept: (token, context) => hasDigit(token) && /[A-Za-z]/.test(token) && !/(?:basic|bearer)\s+$/i.test(context),
  },
  // Docker, npm and Composer: a name and a password in base64.
  {
    name: 'basic-auth',
    context: 'auth["\'` \\t\\\\:=]{1,8}',
    secret: '[A-Za-z0-9+/]{8,8192}={0,2}',
    ignoreCase: true,
    accept: (value, context) => /[:=]/.test(context) && isNameAndPassword(value),
  },
  { name: 'assigned-secret', context: ':_password[ \\t]{0,2}=[ \\t"]{0,2}', secret: '[A-Za-z0-9+/=]{6,256}' },
  ...signatures.map((each): Shape => ({
    name: 'request-signature',
    context: `${each}["'\\\\ :=]{1,6}`,
    secret: '[A-Za-z0-9%/+=_~-]{20}',
    tail: '[A-Za-z0-9%/+=_~-]',
    ignoreCase: true,
  })),
  {
    name: 'request-signature',
    context: '[?&]Signature=',
    secret: '[A-Za-z0-9%/+=_~-]{20}',
    tail: '[A-Za-z0-9%/+=_~-]',
  },
  { name: 'request-signature', context: '[ ,]Signature=', secret: `${hex}{64}`, tail: hex },
  {
    name: 'cookie',
    context: 'Set-Cookie[ \\t"\'\\\\:]{1,8}[^\\s=;,"\'\\\\]{1,64}=',
    secret: '[^\\s\\u001b;,)"\'\\\\]{8,512}',
    tail: '[^\\s\\u001b;,)"\'\\\\]',
    ignoreCase: true,
    accept: isCookie,
  },
  {
    name: 'cookie',
    context: 'Cookie["\'\\\\]{0,2}:[ \\t"\'\\\\]{0,4}',
    secret: '[^\\n\\r\\u001b"\'\\\\]{8,512}',
    tail: '[^\\n\\r\\u001b"\'\\\\]',
    ignoreCase: true,
    boundary: 'name',
    accept: holdsCookie,
  },
  {
    name: 'cookie',
    context: 'cookie[ \\t=]{1,2}["\']{0,1}[^\\s=;,"\'\\\\]{1,64}=',
    secret: '[^\\s\\u001b;,)"\'\\\\]{8,512}',
    tail: '[^\\s\\u001b;,)"\'\\\\]',
    accept: isCookie,
  },
  ...queryNames.map((each): Shape => ({
    name: 'url-secret',
    context: `[?&;]${each}=`,
    secret: '[A-Za-z0-9%._~+/=-]{10,512}',
    tail: '[A-Za-z0-9%._~+/=-]',
    ignoreCase: true,
    accept: isKeyOfQuery,
  })),
  // The same in an address within an address, and in JSON.
  ...queryNames.flatMap((each) =>
    [`%[23][6F]${each}%3D`, `u0026${each}=`].map((context): Shape => ({
      name: 'url-secret',
      context,
      boundary: 'any',
      secret: '[A-Za-z0-9._~+/=-]{10,512}',
      tail: '[A-Za-z0-9._~+/=-]',
      ignoreCase: true,
      accept: isKeyOfQuery,
    })),
  ),
  ...kubernetesShapes,
  ...passwordShapes,
  ...['secret', 'credential', 'credentials'].map((each): Shape => ({
    ...assigned,
    context: each + between,
    accept: isAssigned,
  })),
  ...afterNames.map((each): Shape => ({
    ...assigned,
    ...each,
    behind: nameBefore,
    accept: (secret) => looksRandom(secret),
  })),
  { ...assigned, context: afterIndex, boundary: 'any', behind: indexBefore, accept: (secret) => looksRandom(secret) },
  { ...assigned, context: `zation${between}`, behind: /authori$/i, accept: isAssigned },
  { ...assigned, context: `key${between}`, behind: keyName, accept: isAssigned },
  { ...assigned, context: `token${between}`, accept: isAssigned },
  ...['token', 'secret', 'key'].map((each): Shape => ({
    ...assigned,
    context: `${each}[ \\t]{1,4}["']{0,1}`,
    behind: aVariable,
    accept: (secret) => looksRandom(secret),
  })),
  // Only as variables: in small letters these are words like any other.
  ...['HMAC', 'SALT', 'PEPPER', 'SESSION', 'SERVICE_ROLE'].map((each): Shape => ({
    name: assigned.name,
    context: `${each}${between}`,
    secret: assigned.secret,
    accept: (secret, context) => isInProse(secret) && /[:=]/.test(context),
  })),
  { ...assigned, context: 'token[ \\t]{1,2}', behind: aFlag, accept: (token) => looksRandom(token) },
  { ...assigned, context: `\\.login${between}`, behind: /sonar$/, accept: isAssigned },
  ...passwordNames.map((each): Shape => ({
    ...assigned,
    context: each + between,
    accept: (secret, context) => looksRandom(secret, 12) && (/[:=]/.test(context) || isMixed(secret)),
  })),
  ...proseGaps.flatMap((gap): Shape[] => [
    ...['secret', 'token', ...passwordNames].map((each): Shape => ({
      ...assigned,
      context: each + gap,
      accept: isInProse,
    })),
    { ...assigned, context: `key${gap}`, behind: keyName, accept: isInProse },
  ]),
];

/** The characters that continue a prefixed secret: those of its last run. */
function tailOf(secret: string): string {
  return /(\[[^[\]]*\])\{\d+\}$/.exec(secret)?.[1] ?? word;
}

/** Every name that may appear in a text in place of a secret. */
export const secretNamesShown: readonly string[] = [
  ...new Set(['secret-value', ...secretShapes.map((shape) => shape.name)]),
];

export function marker(shown: string): string {
  return `[redacted:${shown}]`;
}
