import { hasDigit, isHex, isNameAndPassword, looksRandom } from './randomness.ts';

/** How a secret of one kind is written. Patterns are those of pattern.ts. */
export interface Shape {
  /** Shown in its place: `[redacted:name]`. */
  name: string;
  /** The secret, or as much of its beginning as proves it. */
  secret: string;
  /** What else belongs to it, however long. */
  tail?: string;
  /** What must stand before it; stays. */
  context?: string;
  /** What must stand after it; stays. */
  after?: string;
  /** What may not stand before its first character: a letter or digit (`word`), also `-` and `_` (`name`), or anything may (`any`). */
  boundary?: 'word' | 'name' | 'any';
  /** What the last characters before it must be. */
  behind?: RegExp;
  ignoreCase?: true;
  accept?: (secret: string, context: string) => boolean;
  /** Its body goes on over many lines. */
  block?: true;
}

const word = '[A-Za-z0-9]';
const name = '[A-Za-z0-9_-]';

/** Kinds that are known by their first characters: kind → beginnings, each with the shortest run that follows. */
const prefixed: Record<string, readonly string[]> = {
  'anthropic-key': [`sk-ant-${name}{16}`],
  'openrouter-key': [`sk-or-${name}{20}`],
  'langfuse-key': [`sk-lf-${name}{30}`],
  'openai-key': [`sk-proj-${name}{20}`, `sk-svcacct-${name}{20}`, `sk-admin-${name}{20}`, `sk-None-${name}{20}`],
  'google-api-key': [`AIza${name}{35}`],
  'google-access-token': [`ya29\\.${name}{20}`],
  'google-refresh-token': [`1//0${name}{30}`],
  'google-client-secret': [`GOCSPX-${name}{20}`],
  'aws-access-key-id': ['A[BKS]IA[A-Z2-7]{16}'],
  'aws-bedrock-key': ['ABSK[A-Za-z0-9+/]{80}'],
  'github-token': [`gh[pousr]_${word}{30}`, 'github_pat_[A-Za-z0-9_]{22}'],
  'gitlab-token': ['pat', 'dt', 'rt', 'rtr', 'ptt', 'ft', 'soat', 'cbt', 'imt', 'agent', 'oas', 'ffct'].map(
    (kind) => `gl${kind}-${name}{20}`,
  ),
  'gitlab-runner-token': [`GR1348941${name}{20}`],
  'npm-token': [`npm_${word}{36}`],
  'slack-token': [`xox[abceoprs]-${name}{10}`, `xoxe\\.xox[bp]-${name}{10}`, `xapp-[0-9]-${name}{10}`],
  'stripe-key': [`[rs]k_live_${word}{16}`, `[rs]k_test_${word}{16}`, `[rs]k_org_${word}{16}`],
  'webhook-secret': ['whsec_[A-Za-z0-9+/=]{24}'],
  'sendgrid-key': [`SG\\.${name}{16,64}\\.${name}{16}`],
  'huggingface-token': [`hf_${word}{30}`, `api_org_${word}{30}`],
  'digitalocean-token': ['do[opr]_v1_[a-f0-9]{40}'],
  'pypi-token': [`pypi-Ag${name}{40}`],
  'docker-token': [`dckr_pat_${name}{20}`, `dckr_oat_${name}{20}`],
  'groq-key': [`gsk_${word}{20}`],
  'xai-key': [`xai-${word}{20}`],
  'perplexity-key': [`pplx-${word}{20}`],
  'databricks-token': ['dapi[0-9a-f]{32}'],
  'vault-token': [`hv[sbr]\\.${name}{20}`],
  'age-secret-key': ['AGE-SECRET-KEY-1[0-9A-Z]{40}', 'AGE-SECRET-KEY-PQ-1[0-9A-Z]{40}'],
  'replicate-token': [`r8_${word}{30}`],
  'nvidia-key': [`nvapi-${name}{40}`],
  'tavily-key': [`tvly-${name}{20}`],
  'fireworks-key': [`fw_${word}{22}`],
  'cerebras-key': [`csk-${word}{32}`],
  'langsmith-key': [`lsv2_pt_${name}{32}`, `lsv2_sk_${name}{32}`],
  'pinecone-key': [`pcsk_${name}{30}`],
  'shopify-token': ['shpat_[0-9a-fA-F]{32}', 'shpss_[0-9a-fA-F]{32}', 'shpca_[0-9a-fA-F]{32}', 'shppa_[0-9a-fA-F]{32}'],
  'linear-key': [`lin_api_${word}{32}`, `lin_oauth_${word}{32}`],
  'notion-token': [`ntn_${word}{40}`, `secret_${word}{43}`],
  'figma-token': [`fig[dour]_${name}{20}`],
  'postman-key': ['PMAK-[0-9a-f]{24}-[0-9a-f]{20}'],
  'newrelic-key': ['NRAK-[A-Z0-9]{27}'],
  'grafana-token': ['glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}', 'glc_eyJ[A-Za-z0-9+/=]{20}'],
  'sentry-token': ['sntrys_[A-Za-z0-9+/=_]{30}', 'sntryu_[0-9a-f]{40}'],
  'atlassian-token': ['AT[AC]TT3[A-Za-z0-9_=-]{30}'],
  'supabase-key': ['sbp_[0-9a-f]{40}', `sb_secret_${name}{20}`],
  'planetscale-token': [`pscale_tkn_${name}{30}`, `pscale_pw_${name}{30}`],
  'doppler-token': [`dp\\.pt\\.${word}{40}`, `dp\\.st\\.[A-Za-z0-9_.-]{40}`, `dp\\.ct\\.${word}{40}`],
  '1password-token': ['ops_eyJ[A-Za-z0-9+/=_-]{60}'],
  'tailscale-key': [`tskey-${name}{20}`],
  'rubygems-key': ['rubygems_[0-9a-f]{48}'],
  'pulumi-token': ['pul-[0-9a-f]{40}'],
  'square-token': [`sq0csp-${name}{30}`, `sq0atp-${name}{20}`],
  'airtable-token': [`pat${word}{14}\\.[0-9a-f]{60}`],
  'circleci-token': [`CCIPAT_${name}{30}`],
  'buildkite-token': ['bkua_[0-9a-f]{40}'],
  'fly-token': ['fm2_[A-Za-z0-9+/=_-]{60}'],
};

/** One or a few of what stands between a name and its value in code, JSON (escaped or not), YAML, headers and commands. */
const between = '[ \\t"\'`\\\\:=>,(]{1,8}';
/** `api_key`, `api-key`, `apiKey`, `API_KEY`, `apikey` in one. */
const named = (words: string): string => words.replaceAll('_', '[_-]{0,1}');

const assigned: Omit<Shape, 'context'> = {
  name: 'assigned-secret',
  secret: '[A-Za-z0-9+/=_.~!@#$%^&*-]{12,256}',
  tail: '[A-Za-z0-9+/=_.~!@#$%^&*-]',
  ignoreCase: true,
};
const passwordNames = ['password', 'passwd', 'passphrase', 'pwd'];
const secretNames = [
  'secret',
  'secret_key',
  'api_key',
  'access_key',
  'private_key',
  'encryption_key',
  'signing_key',
  'account_key',
  'master_key',
  'auth_key',
  'access_token',
  'auth_token',
  'refresh_token',
  'session_token',
  'api_token',
  'bearer_token',
  'bot_token',
  'id_token',
  'oauth_token',
  'credential',
  'credentials',
  'authorization',
];
/** A commit or a UUID may follow such a word in prose; only an assignment makes it a secret. */
const isAssigned = (secret: string, context: string): boolean => looksRandom(secret) && (!isHex(secret) || /[:=]/.test(context));

/** So many characters of a secret, or of what must stand before it, decide whether it is looked for. */
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
  // The three parts are base64url of JSON, JSON and bytes; base64 of `{"` is `eyJ`.
  { name: 'jwt', secret: `eyJ${name}{8,4096}\\.eyJ${name}{8}`, tail: '[A-Za-z0-9_.=-]', boundary: 'name' },
  // The first part is base64 of a number written in digits.
  { name: 'discord-token', secret: `[MNO][DTjz][AEIMQUYcgk]${name}{20,27}\\.${name}{6}\\.${name}{27}`, tail: name, boundary: 'name' },
  {
    name: 'private-key',
    secret: '-----BEGIN [A-Z0-9 ]{7,40}-----',
    boundary: 'any',
    accept: (line) => line.includes('PRIVATE KEY'),
    block: true,
  },
  { name: 'telegram-bot-token', context: ':', secret: `AA${name}{32}`, tail: name, behind: /(?<!\d)\d{8,10}$/ },
  {
    name: 'azure-client-secret',
    secret: '[0-9]Q~[A-Za-z0-9_.~-]{30}',
    tail: '[A-Za-z0-9_~-]',
    boundary: 'any',
    behind: /[A-Za-z0-9_.~-]{3}$/,
  },
  { name: 'terraform-token', secret: `\\.atlasv1\\.${name}{50}`, tail: name, boundary: 'any', behind: /[A-Za-z0-9]{14}$/ },
  { name: 'azure-storage-key', context: 'AccountKey=', secret: '[A-Za-z0-9+/]{60}', tail: '[A-Za-z0-9+/=]' },
  { name: 'azure-shared-access-key', context: 'SharedAccessKey=', secret: '[A-Za-z0-9+/]{40}', tail: '[A-Za-z0-9+/=]' },
  { name: 'azure-sas', context: '[?&;]sig=', secret: '[A-Za-z0-9%+/]{40}', tail: '[A-Za-z0-9%+/=]' },
  { name: 'azure-sas', context: 'SharedAccessSignature=', secret: '[^ \\n\\t"\']{30}', tail: '[^ \\n\\t"\']' },
  { name: 'slack-webhook', context: 'hooks\\.slack\\.com/[a-z]{6,12}/', secret: '[A-Za-z0-9/]{20}', tail: '[A-Za-z0-9/]' },
  { name: 'discord-webhook', context: 'discord\\.com/api/webhooks/[0-9]{15,22}/', secret: `${name}{40}`, tail: name },
  { name: 'discord-webhook', context: 'discordapp\\.com/api/webhooks/[0-9]{15,22}/', secret: `${name}{40}`, tail: name },
  {
    name: 'aws-secret-key',
    context: named('secret_access_key') + between,
    secret: '[A-Za-z0-9/+]{40}',
    tail: '[A-Za-z0-9/+=]',
    ignoreCase: true,
  },
  {
    name: 'aws-session-token',
    context: named('session_token') + between,
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
    name: 'url-password',
    context: '://[^\\s/?#@:"\'`<>()\\[\\]{}\\\\]{0,128}:',
    secret: '[^\\s/?#@"\'`<>()\\[\\]{}\\\\|]{1,256}',
    after: '@',
    accept: (password) => !/^(?:\*+|x+|\.+|…)$/i.test(password),
  },
  { name: 'url-token', context: '://', secret: `${name}{20,256}`, after: '@', accept: hasDigit },
  ...secretNames.map((each): Shape => ({ ...assigned, context: named(each) + between, accept: isAssigned })),
  { ...assigned, context: `token${between}`, boundary: 'name', accept: isAssigned },
  { ...assigned, context: `_TOKEN${between}`, accept: isAssigned },
  ...passwordNames.map((each): Shape => ({
    ...assigned,
    context: each + between,
    accept: (secret, context) => /[:=]/.test(context) && looksRandom(secret, 12),
  })),
];

/** What a prefixed secret goes on with: the characters of its last run. */
function tailOf(secret: string): string {
  return /(\[[^[\]]*\])\{\d+\}$/.exec(secret)?.[1] ?? word;
}

const secretName = new RegExp(
  `(?:${[...passwordNames, ...secretNames, 'secret_access_key'].map((each) => each.replaceAll('_', '[_-]?')).join('|')}|^token|[_-]token)$`,
  'i',
);

/** Whether a field of this name holds a secret, if its value looks like one. */
export function isSecretName(field: string): boolean {
  return secretName.test(field);
}

/** Every name that may stand in a text in place of a secret. */
export const secretNamesShown: readonly string[] = [...new Set(['secret-value', ...secretShapes.map((shape) => shape.name)])];

export function marker(shown: string): string {
  return `[redacted:${shown}]`;
}
