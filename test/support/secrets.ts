/** A made-up secret of a known kind, assembled here so that no scanner takes this file for a leak. */
export interface Planted {
  /** What stands in its place when it is found: `[redacted:name]`. */
  name: string;
  /** What must be gone. */
  secret: string;
  /** The secret with what must stand around it. */
  text: string;
}

const alphabets = {
  hex: '0123456789abcdef',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  word: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
};

/** The same characters every time, as mixed as those of a real key. */
export function body(length: number, of: keyof typeof alphabets = 'word', seed = length): string {
  const letters = alphabets[of];
  let state = seed * 2654435761 + 12345;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return letters[(state >>> 8) % letters.length];
  }).join('');
}

const base64url = (text: string): string => btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const dashes = '-'.repeat(5);

function pem(kind: string): string {
  const lines = Array.from({ length: 6 }, (_, line) => body(64, 'word', line + 1));
  return [`${dashes}BEGIN ${kind}${dashes}`, ...lines, `${body(20)}==`, `${dashes}END ${kind}${dashes}`].join('\n');
}

const alone = (name: string, ...pieces: string[]): Planted => ({ name, secret: pieces.join(''), text: pieces.join('') });
const within = (name: string, before: string, secret: string, after = ''): Planted => ({
  name,
  secret,
  text: `${before}${secret}${after}`,
});

/** One or more of every kind. */
export const plantedSecrets: readonly Planted[] = [
  alone('anthropic-key', 'sk-', 'ant-', 'api03-', body(80)),
  alone('openrouter-key', 'sk-', 'or-', 'v1-', body(64, 'hex')),
  alone('langfuse-key', 'sk-', 'lf-', body(36, 'hex')),
  alone('openai-key', 'sk-', 'proj-', body(70)),
  alone('openai-key', 'sk-', 'svcacct-', body(60)),
  alone('openai-key', 'sk-', body(48)),
  alone('google-api-key', 'AI', 'za', body(35)),
  alone('google-access-token', 'ya', '29.', body(60)),
  alone('google-refresh-token', '1/', '/0', body(50)),
  alone('google-client-secret', 'GOC', 'SPX-', body(28)),
  alone('aws-access-key-id', 'AK', 'IA', body(16, 'upper')),
  alone('aws-access-key-id', 'AS', 'IA', body(16, 'upper')),
  alone('aws-bedrock-key', 'AB', 'SK', body(120)),
  ...['p', 'o', 'u', 's', 'r'].map((kind) => alone('github-token', 'gh', kind, '_', body(36))),
  alone('github-token', 'github', '_pat_', body(22), '_', body(59)),
  alone('github-token', 'gh', 's_', '123456_', base64url('{"alg":"RS256"}'), body(20), '.', body(80), '.', body(86)),
  ...['pat', 'dt', 'rt', 'ptt', 'ft', 'soat', 'cbt'].map((kind) => alone('gitlab-token', 'gl', kind, '-', body(20))),
  alone('gitlab-runner-token', 'GR13', '48941', body(20)),
  alone('npm-token', 'np', 'm_', body(36)),
  ...['a', 'b', 'p', 'r', 's'].map((kind) => alone('slack-token', 'xo', 'x', kind, '-', '123456789012-', body(24))),
  alone('slack-token', 'xa', 'pp-', '1-', body(40)),
  alone('stripe-key', 'sk', '_live_', body(24)),
  alone('stripe-key', 'rk', '_live_', body(24)),
  alone('stripe-key', 'sk', '_test_', body(24)),
  alone('webhook-secret', 'wh', 'sec_', body(32)),
  alone('sendgrid-key', 'S', 'G.', body(22), '.', body(43)),
  alone('huggingface-token', 'h', 'f_', body(34)),
  alone('digitalocean-token', 'do', 'p_v1_', body(64, 'hex')),
  alone('pypi-token', 'py', 'pi-', 'AgEIcHlwaS5vcmc', body(80)),
  alone('docker-token', 'dc', 'kr_pat_', body(27)),
  alone('groq-key', 'gs', 'k_', body(52)),
  alone('xai-key', 'xa', 'i-', body(80)),
  alone('perplexity-key', 'pp', 'lx-', body(48)),
  alone('databricks-token', 'da', 'pi', body(32, 'hex')),
  alone('vault-token', 'hv', 's.', body(24)),
  alone('age-secret-key', 'AGE-', 'SECRET-KEY-1', body(58, 'upper')),
  alone('replicate-token', 'r', '8_', body(37)),
  alone('nvidia-key', 'nv', 'api-', body(64)),
  alone('tavily-key', 'tv', 'ly-', body(32)),
  alone('fireworks-key', 'f', 'w_', body(24)),
  alone('cerebras-key', 'cs', 'k-', body(48)),
  alone('langsmith-key', 'ls', 'v2_pt_', body(32, 'hex'), '_', body(10, 'hex')),
  alone('pinecone-key', 'pc', 'sk_', body(60)),
  alone('shopify-token', 'sh', 'pat_', body(32, 'hex')),
  alone('linear-key', 'li', 'n_api_', body(40)),
  alone('notion-token', 'nt', 'n_', body(46)),
  alone('figma-token', 'fi', 'gd_', body(40)),
  alone('postman-key', 'PM', 'AK-', body(24, 'hex'), '-', body(34, 'hex')),
  alone('newrelic-key', 'NR', 'AK-', body(27, 'upper')),
  alone('grafana-token', 'gl', 'sa_', body(32), '_', body(8, 'hex')),
  alone('sentry-token', 'sn', 'trys_', body(60)),
  alone('atlassian-token', 'AT', 'ATT3', body(180)),
  alone('supabase-key', 'sb', 'p_', body(40, 'hex')),
  alone('planetscale-token', 'ps', 'cale_tkn_', body(43)),
  alone('doppler-token', 'dp', '.pt.', body(43)),
  alone('1password-token', 'op', 's_eyJ', body(200)),
  alone('tailscale-key', 'ts', 'key-auth-', body(16), '-', body(32)),
  alone('rubygems-key', 'ru', 'bygems_', body(48, 'hex')),
  alone('pulumi-token', 'pu', 'l-', body(40, 'hex')),
  alone('square-token', 'sq', '0csp-', body(43)),
  alone('airtable-token', 'pa', 't', body(14), '.', body(64, 'hex')),
  alone('circleci-token', 'CC', 'IPAT_', body(22), '_', body(40, 'hex')),
  alone('buildkite-token', 'bk', 'ua_', body(40, 'hex')),
  alone('fly-token', 'fm', '2_', body(120)),
  alone('elevenlabs-key', 's', 'k_', body(48, 'hex')),
  alone('twilio-key', 'S', 'K', body(32, 'hex')),
  alone('mailgun-key', 'ke', 'y-', body(32, 'hex')),
  alone('jwt', base64url('{"alg":"HS256","typ":"JWT"}'), '.', base64url('{"sub":"1234567890","name":"A"}'), '.', body(43)),
  alone('discord-token', base64url('123456789012345678'), '.', body(6), '.', body(38)),
  alone('private-key', pem('RSA PRIVATE KEY')),
  alone('private-key', pem('PRIVATE KEY')),
  alone('private-key', pem('OPENSSH PRIVATE KEY')),
  alone('private-key', pem('PGP PRIVATE KEY BLOCK')),
  alone('private-key', pem('EC PRIVATE KEY').replaceAll('\n', '\\n')),
  within('telegram-bot-token', '1234567890:', `AA${body(33)}`),
  within('azure-client-secret', 'abc', `8Q~${body(34)}`),
  within('terraform-token', body(14), `.atlas${'v1.'}${body(67)}`),
  within(
    'azure-storage-key',
    'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=',
    `${body(86)}==`,
    ';EndpointSuffix=core.windows.net',
  ),
  within('azure-shared-access-key', 'Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey=', `${body(43)}=`),
  within('azure-sas', 'https://a.blob.core.windows.net/c?sv=2022-11-02&sr=c&sig=', `${body(43)}%3D`, '&se=2030'),
  within('slack-webhook', 'https://hooks.slack.com/services/', `T${body(8, 'upper')}/B${body(8, 'upper')}/${body(24)}`),
  within('discord-webhook', 'https://discord.com/api/webhooks/123456789012345678/', body(68)),
  within('aws-secret-key', 'aws_secret_access_key = ', body(40)),
  within('aws-secret-key', '"SecretAccessKey": "', body(40), '"'),
  within('aws-session-token', 'AWS_SESSION_TOKEN=', body(300)),
  within('bearer-token', 'Authorization: Bearer ', body(40)),
  within('basic-auth', 'Authorization: Basic ', btoa('admin:open sesame 42')),
  within('url-password', 'postgres://admin:', 'hunter2', '@db.example.com:5432/app'),
  within('url-password', 'redis://:', 'p:a$s', '@cache:6379'),
  within('url-token', 'https://', body(32, 'hex'), '@o1.ingest.sentry.io/2'),
  within('assigned-secret', 'password="', 'aB3$dE5gH7jK', '"'),
  within('assigned-secret', 'api_key: "', body(32), '"'),
  within('assigned-secret', '{\\"apiKey\\": \\"', body(32), '\\"}'),
  within('assigned-secret', 'GITHUB_TOKEN=', body(40, 'hex')),
  within('assigned-secret', 'export DB_PASSWORD=', 'tR4ins9pOtt1ng'),
  within('assigned-secret', 'client-secret: ', body(36, 'hex')),
];
