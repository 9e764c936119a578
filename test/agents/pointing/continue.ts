import { key, otherKey, type PointingCase } from './case.ts';

const main = '.continue/config.yaml';
const model = (...lines: readonly string[]): string =>
  ['models:', '  - name: Mine', ...lines.map((line) => `    ${line}`), ''].join('\n');
const corp = (...more: readonly string[]): string =>
  model('provider: openai', 'model: m', 'apiBase: https://corp.example/v1/', ...more);

export const continueCli: readonly PointingCase[] = [
  { title: 'a key in the file', files: { [main]: `name: Mine # a comment\n${corp(`apiKey: ${key}`)}` } },
  {
    title: 'a key in a variable that the file names',
    files: { [main]: corp('apiKey: ${{ secrets.CORP_KEY }}') },
    env: { CORP_KEY: key },
  },
  {
    title: 'a key in its own file of variables',
    files: { [main]: corp('apiKey: ${{ secrets.CORP_KEY }}'), '.continue/.env': `CORP_KEY=${key}` },
  },
  { title: 'a key that is nowhere', files: { [main]: corp('apiKey: ${{ secrets.CORP_KEY }}') } },
  {
    title: 'a provider that it knows',
    files: { [main]: model('provider: anthropic', 'model: m', `apiKey: ${key}`) },
    env: { CONTINUE_API_KEY: otherKey },
  },
  { title: 'OpenAI itself', files: { [main]: model('provider: openai', 'model: m', `apiKey: ${key}`) } },
  {
    title: 'two models',
    files: {
      [main]: `${corp(`apiKey: ${key}`)}  - name: Other\n    provider: gemini\n    model: g\n    apiKey: ${otherKey}\n`,
    },
  },
  {
    title: 'a header with a secret',
    files: { [main]: corp(`apiKey: ${key}`, 'requestOptions: { headers: { X-Token: T } }') },
  },
  { title: 'a model that is described elsewhere', files: { [main]: 'models:\n  - uses: anthropic/claude\n' } },
  {
    title: 'rules that are beside the file',
    files: { [main]: `${corp(`apiKey: ${key}`)}rules:\n  - uses: ./rules.md\n` },
  },
  { title: 'a provider without an address', files: { [main]: model('provider: bedrock', 'model: m') } },
  {
    title: 'a file that was asked for',
    files: { '/own.yaml': corp(`apiKey: ${key}`) },
    ask: { extraArgs: ['--config=/own.yaml'] },
  },
  { title: 'a file of the checkout', ask: { extraArgs: ['--config', 'own.yaml'] } },
  { title: 'no models', files: { [main]: 'name: Mine\n' } },
  { title: 'no file' },
  { title: 'a file that is not YAML', files: { [main]: `models: [ "${key}` } },
  { title: 'a file with the wrong types', files: { [main]: 'models:\n  - 1\n' } },
];
