import { json, key, otherKey, type PointingCase } from './case.ts';

const settings = '.gemini/settings.json';
const byKey = { security: { auth: { selectedType: 'gemini-api-key' } } };
const env = { GEMINI_API_KEY: key };

export const gemini: readonly PointingCase[] = [
  { title: 'a key in the environment, and nothing else', env },
  {
    title: 'settings that do not say how it signs in',
    files: { [settings]: json({ ui: { theme: 'x' } }), '.gemini/tmp/x': '', '.gemini/GEMINI.md': '' },
    env,
  },
  { title: 'settings that say so', files: { [settings]: `{ // mine\n${json(byKey).slice(1)}` }, env },
  {
    title: 'settings that say so, as earlier versions wrote them',
    files: { [settings]: json({ selectedAuthType: 'gemini-api-key' }) },
    env,
  },
  {
    title: 'another address',
    files: { [settings]: json(byKey) },
    env: { ...env, GOOGLE_GEMINI_BASE_URL: 'https://proxy.example/' },
  },
  {
    title: 'an address that was asked for',
    files: { [settings]: json(byKey) },
    env,
    ask: { baseUrl: 'http://127.0.0.1:8080' },
  },
  {
    title: 'a home elsewhere',
    files: { '/own/.gemini/settings.json': json(byKey) },
    env: { ...env, GEMINI_CLI_HOME: '/own' },
  },
  { title: 'a home in the checkout', env: { ...env, GEMINI_CLI_HOME: 'own' } },
  {
    title: 'a key in its own file of variables',
    files: {
      [settings]: json(byKey),
      '.gemini/.env': `# mine\nexport GEMINI_API_KEY="${key}" # x\n`,
      '.env': `GEMINI_API_KEY=${otherKey}`,
    },
  },
  {
    title: 'a key in the file of variables at home',
    files: {
      [settings]: json(byKey),
      '.env': `OTHER=1\nGEMINI_API_KEY=${key}\nGOOGLE_GEMINI_BASE_URL='https://proxy.example'`,
    },
  },
  { title: 'a key of another kind', files: { [settings]: json(byKey) }, env: { ...env, GOOGLE_API_KEY: otherKey } },
  { title: 'a login', files: { [settings]: json({ security: { auth: { selectedType: 'oauth-personal' } } }) }, env },
  { title: 'a login that variables choose', env: { ...env, GOOGLE_GENAI_USE_GCA: 'true' } },
  { title: 'Vertex', env: { ...env, GOOGLE_GENAI_USE_VERTEXAI: 'true' } },
  {
    title: 'another way that is enforced',
    files: { [settings]: json({ security: { auth: { enforcedType: 'vertex-ai' } } }) },
    env,
  },
  { title: 'no key', files: { [settings]: json(byKey) } },
  { title: 'a file that is not JSON', files: { [settings]: `{ "x": "${key}` }, env },
  { title: 'a file with the wrong types', files: { [settings]: json({ security: [], selectedAuthType: 1 }) }, env },
];
