// An endpoint for HttpAgent of @ag-ui/client, and for everything that is built on it.
import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';

const flags = (process.env['RUNWIRE_FLAGS'] ?? '--agent codex --timeout 10m').split(' ');

type Input = { messages: { role: string; content?: unknown }[]; forwardedProps?: { session?: string } };

export async function POST(request: Request): Promise<Response> {
  const { messages, forwardedProps } = (await request.json()) as Input;
  const prompt = messages.findLast(({ role }) => role === 'user')?.content;
  // The threadId of an earlier RUN_STARTED is the agent's session, which can be resumed.
  const resume = forwardedProps?.session === undefined ? [] : ['--resume', forwardedProps.session];
  const run = spawn('runwire', ['run', '--quiet', '--to', 'ag-ui', ...resume, ...flags], { stdio: ['pipe', 'pipe', 'inherit'] });
  run.on('error', (error) => run.stdout.destroy(error)).stdin.on('error', () => {});
  run.stdin.end(typeof prompt === 'string' ? prompt : JSON.stringify(prompt ?? ''));
  request.signal.addEventListener('abort', () => run.kill('SIGTERM'));
  return new Response(Readable.toWeb(run.stdout) as ReadableStream<Uint8Array>, { headers: { 'content-type': 'text/event-stream' } });
}
