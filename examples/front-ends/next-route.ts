// app/api/chat/route.ts of a Next.js app: what useChat() asks, an agent answers.
import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';

const flags = (process.env['RUNWIRE_FLAGS'] ?? '--agent codex --timeout 10m').split(' ');

type Chat = { messages: { parts: { text?: string }[] }[] };

export async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as Chat;
  const prompt = messages.at(-1)?.parts.map(({ text = '' }) => text) ?? [];
  const run = spawn('runwire', ['run', '--quiet', '--to', 'ai-sdk-ui', ...flags], { stdio: ['pipe', 'pipe', 'inherit'] });
  run.on('error', (error) => run.stdout.destroy(error)).stdin.on('error', () => {});
  run.stdin.end(prompt.join('\n'));
  request.signal.addEventListener('abort', () => run.kill('SIGTERM'));
  return new Response(Readable.toWeb(run.stdout) as ReadableStream<Uint8Array>, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-vercel-ai-ui-message-stream': 'v1' },
  });
}
