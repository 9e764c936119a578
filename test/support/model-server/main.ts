/** Serves a script to any client: `node test/support/model-server/main.ts SCRIPT.json [--port N] [--served FILE]`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseScript, Script } from './script.ts';
import { startModelServer } from './server.ts';

const usage = 'usage: main.ts SCRIPT.json [--port N] [--served FILE]';

function readScript(): { script: Script; port: number | undefined; log: string } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string' }, served: { type: 'string', default: 'served.json' } },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Error(usage);
  const script = parseScript(Script, JSON.parse(readFileSync(file, 'utf8')), file);
  return { script, port: values.port === undefined ? script.port : Number(values.port), log: values.served };
}

try {
  const { script, port, log } = readScript();
  const server = await startModelServer({ ...script, port });
  const stop = async (): Promise<void> => {
    await server.close();
    writeFileSync(log, `${JSON.stringify(server.served, null, 1)}\n`);
  };
  process.once('SIGTERM', () => void stop());
  process.once('SIGINT', () => void stop());
  console.log(JSON.stringify({ url: server.url }));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
