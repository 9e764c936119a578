/** An agent of ACP without any package: `node writer.mjs FILE TEXT` writes that text into that file of its session's folder. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [file, text] = process.argv.slice(2);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let cwd = '';

const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: 'writer', version: '1.0.0' } }),
  'session/new'(params) {
    cwd = params.cwd;
    return { sessionId: 's' };
  },
  'session/prompt'() {
    writeFileSync(join(cwd, file), `${text}\n`);
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Written.' } };
    say({ method: 'session/update', params: { sessionId: 's', update } });
    return { stopReason: 'end_turn' };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method in answers) say({ id, result: answers[method](params) });
});
