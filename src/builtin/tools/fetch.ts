import { z } from 'zod';
import { Failure } from '../../failure.ts';
import { decide, type PermissionRules } from '../permissions/rules.ts';
import type { Tool, ToolResult } from './tool.ts';
import { clip } from './clip.ts';
import { cancelled, define, failed, success } from './define.ts';
import type { Answer, NetworkOptions } from './http-get.ts';
import { portOf, type Reach } from './reach.ts';

const largest = 1024 * 1024;
const longestTime = 30_000;
const mostRedirects = 5;
const mostCharacters = 50_000;

const input = z.strictObject({ url: z.string().describe('An http or https address of the public internet.') });

export const fetch = (rules: PermissionRules, network: NetworkOptions = {}, reach?: Reach): Tool =>
  define<z.infer<typeof input>>({
    name: 'fetch',
    kind: 'web',
    description: 'Get a page or a text from the web; HTML comes as Markdown.',
    input,
    need: ({ url }) => ({ access: 'network', subject: hostOf(url) }),
    async run({ url }, { signal }) {
      const time = AbortSignal.timeout(longestTime);
      try {
        const either = AbortSignal.any([signal, time]);
        return await resultOf(await get(url, rules, network, either, reach), either);
      } catch (error) {
        if (signal.aborted) return cancelled;
        if (time.aborted) return failed(`${url} took longer than ${longestTime} ms`);
        return failed(error instanceof Failure ? error.message : `${url}: ${reasonOf(error)}`);
      }
    },
  });

const hostOf = (url: string): string => URL.parse(url)?.hostname.replace(/\.$/, '') ?? url;

async function get(
  address: string,
  rules: PermissionRules,
  network: NetworkOptions,
  signal: AbortSignal,
  reach: Reach | undefined,
): Promise<Answer> {
  const { httpGet } = await import('./http-get.ts');
  let url = parse(address);
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const refusal = reach?.refuse(hostOf(url.href), portOf(url));
    if (refusal !== undefined) throw new Failure('tool', refusal);
    const answer = await httpGet(url, largest, signal, network);
    if (answer.status < 300 || answer.status > 399 || answer.location === undefined) return answer;
    const next = parse(answer.location, url);
    const isSameHost = hostOf(next.href) === hostOf(url.href);
    const decision = decide(rules, 'fetch', { access: 'network', subject: hostOf(next.href) });
    if (!isSameHost && !decision.allowed)
      throw new Failure('tool', `${url.href} leads to ${next.href}: ${decision.reason}`);
    url = next;
  }
  throw new Failure('tool', `${address} redirects more than ${mostRedirects} times`);
}

function parse(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (url === null) throw new Failure('tool', `${text} is not an address; give one such as https://example.com/page`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Failure('tool', `${url.href}: only http and https can be fetched`);
  if (url.username !== '' || url.password !== '')
    throw new Failure('tool', `${url.host}: an address with a user name or password is not fetched`);
  return url;
}

async function resultOf({ status, type, body, isCut }: Answer, signal: AbortSignal): Promise<ToolResult> {
  const media = type.split(';')[0]?.trim().toLowerCase() ?? '';
  const isHtml = media === 'text/html' || media === 'application/xhtml+xml';
  const isText = isHtml || media === '' || /^text\/|[/+](?:json|xml|yaml|javascript|x-ndjson)$/.test(media);
  if (!isText || body.subarray(0, 8192).includes(0))
    return failed(`the answer (${status}) is ${media || 'binary'}, not text`);
  const text = decoded(body, type);
  const markdown = isHtml ? await (await import('./html-to-markdown.ts')).htmlToMarkdown(text, signal) : text;
  const shown = clip(markdown, mostCharacters);
  const output = isCut ? `${shown}\n[the answer is longer than ${largest} bytes; the rest was not read]` : shown;
  return status >= 200 && status < 300 ? success(output) : failed(`the server answered ${status}\n${output}`);
}

function decoded(body: Buffer, type: string): string {
  const charset = /charset="?([\w.:-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : undefined;
  return error.message === '' && first instanceof Error ? first.message : error.message;
}
