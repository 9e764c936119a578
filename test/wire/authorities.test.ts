import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { live, project } from '../cli/run/live.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

const answer = JSON.stringify({
  model: 'gpt-5',
  choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Hello.' } }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});
const program = `
  await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
    method: 'POST',
    body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'go' }] }),
  });
`;

it.runIf(hasOpenssl)('a provider whose certificate only this system knows is asked, and nobody else', async () => {
  const cwd = project();
  const [key, cert] = [join(cwd, 'key.pem'), join(cwd, 'cert.pem')];
  execFileSync(
    'openssl',
    `req -x509 -newkey rsa:2048 -nodes -keyout ${key} -out ${cert} -days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost`.split(
      ' ',
    ),
    { stdio: 'ignore' },
  );
  const server = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  writeFileSync(join(cwd, 'agent.mjs'), program);
  const run = (env: Record<string, string>) =>
    live(['run', '--wire', '--ledger', 'none', '--', process.execPath, 'agent.mjs'], {
      cwd,
      env: { OPENAI_BASE_URL: `https://localhost:${(server.address() as AddressInfo).port}/v1`, ...env },
    });
  expect(await run({ SSL_CERT_FILE: cert })).toMatchObject({ status: 0, stdout: 'Hello.\n' });
  expect(await run({})).toMatchObject({ status: 4, stdout: '' });
});
