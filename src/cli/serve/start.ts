import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { type Ledger, openLedgerAt } from '../../ledger/ledger.ts';
import { orderRun } from '../../ledger/order.ts';
import { present } from '../../json/present.ts';
import { createApp } from '../../server/app.ts';
import { readAssets } from '../../server/assets.ts';
import { listen } from '../../server/listen.ts';
import { inUrl, isLoopback, namesOf } from '../../server/names.ts';
import { givenTokens, ownToken, readText } from '../../server/own-token.ts';
import { type Token, Tokens } from '../../server/tokens.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { tapesPlace } from '../../tapes/tapes-place.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Context } from '../context.ts';

export interface ServeValues {
  readonly port?: string;
  readonly host?: string;
  readonly open?: boolean;
  readonly 'new-token'?: boolean;
  readonly 'no-token'?: boolean;
  readonly tokens?: string;
  readonly 'allow-origin'?: readonly string[];
  readonly 'tls-cert'?: string;
  readonly 'tls-key'?: string;
  readonly 'behind-proxy'?: string;
  readonly ledger?: string;
  readonly tapes?: string;
}

const deliverEveryMs = 60_000;

/** Serves until it is interrupted. */
export async function startServing(
  values: ServeValues,
  operands: readonly string[],
  context: Context,
  defaultPort: number,
): Promise<number> {
  if (operands.length > 0) throw new Failure('input', `unexpected "${oneLine(operands.join(' '), 60)}"; see --help`);
  const { env } = context;
  const host = values.host ?? '127.0.0.1';
  const wantedPort = readPort(values.port, defaultPort);
  const tls = readTls(values);
  const proxyOrigin = readOrigin('--behind-proxy', values['behind-proxy']);
  refuseOpenDoors(values, host, tls !== undefined);
  const place = ledgerPlace(values.ledger, env, context.cwd);
  if (place.kind === 'none')
    throw new Failure('input', 'the ledger is "none", so there are no runs; name one with --ledger');
  const own = values['no-token'] === true ? undefined : ownToken(env, { renew: values['new-token'] === true });
  const tokens = own === undefined ? undefined : allTokens(own, values, context);
  // Agents of the same user may run on this machine: they must not read the tokens in our environment.
  context.hideEnvironment(new Set(['PATH', 'HOME', 'LANG', 'TERM']));

  const ledger = await openLedgerAt(place, env, tapesPlace(values.tapes, env, place));
  const queue =
    place.kind === 'postgres' ? await (await import('../../fleet/queue-view.ts')).openQueueView(place.url) : undefined;
  const delivering = keepDelivering(ledger, context);
  let port = wantedPort;
  const names = namesOf({
    host,
    port: () => port,
    certificate: tls?.cert,
    proxyOrigin,
    allowedOrigins: (values['allow-origin'] ?? []).map((origin) => readOrigin('--allow-origin', origin) ?? ''),
  });
  const complain = (message: string): void => context.warn(`runwire: ${message}`);
  const app = createApp({
    ledger,
    names,
    tokens,
    assets: readAssets(join(import.meta.dirname, '..', 'web')),
    queue,
    order: (run, order) => orderRun(run, order, context),
    now: context.now,
    warn: complain,
  });
  try {
    const server = await listen(app, { host, port: wantedPort, ...present({ tls }) });
    port = server.port;
    const origin = proxyOrigin ?? `${tls === undefined ? 'http' : 'https'}://${inUrl(host)}:${port}`;
    const link = own === undefined ? `${origin}/` : `${origin}/login?token=${own.secret}`;
    context.warn(`runwire: serving ${ledger.store.name}`);
    context.warn(`runwire: open ${link}`);
    if (values.open === true) await open(link, context);
    await interrupted(context);
    await server.close();
    return 0;
  } finally {
    context.leaveSoon();
    delivering.stop();
    await queue?.close();
    await ledger.store.close();
  }
}

/** From time to time, delivers tapes of this machine that are still on their way to a bucket or a database. */
function keepDelivering({ tapes }: Ledger, { now }: Context): { stop: () => void } {
  let working: Promise<unknown> | undefined;
  const deliver = (): void => {
    working ??= tapes
      .deliver(now(), deliverEveryMs / 2)
      .catch(() => {})
      .finally(() => void (working = undefined));
  };
  deliver();
  const timer = setInterval(deliver, deliverEveryMs).unref();
  return { stop: () => clearInterval(timer) };
}

function allTokens(own: Token, values: ServeValues, { env }: Context): Tokens {
  const file =
    values.tokens === undefined ? undefined : { path: values.tokens, text: readText(values.tokens, '--tokens') };
  return new Tokens([own, ...givenTokens(env, file)]);
}

/** Whatever leaves this machine must be encrypted, by this server or by the proxy in front of it. */
function refuseOpenDoors(values: ServeValues, host: string, isSecure: boolean): void {
  if (values['no-token'] === true && (!isLoopback(host) || values['behind-proxy'] !== undefined))
    throw new Failure('input', '--no-token: only on 127.0.0.1, and not behind a proxy');
  if (!isLoopback(host) && !isSecure && values['behind-proxy'] === undefined)
    throw new Failure(
      'input',
      `--host ${host}: serving other machines needs --tls-cert and --tls-key, or --behind-proxy https://your.address`,
    );
}

function readPort(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new Failure('input', `--port ${text}: expected a number from 0 to 65535`);
  return Number(text);
}

function readTls(values: ServeValues): { cert: string; key: string } | undefined {
  const { 'tls-cert': cert, 'tls-key': key } = values;
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new Failure('input', 'give both --tls-cert and --tls-key, or neither');
  return { cert: readText(cert, '--tls-cert'), key: readText(key, '--tls-key') };
}

function readOrigin(flag: string, text: string | undefined): string | undefined {
  if (text === undefined || text === 'null') return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A pane of an editor has its own scheme, for which `URL` knows no origin.
  if (url === undefined || !/^[a-z][a-z0-9+.-]*:\/\/[^/\s]+\/?$/i.test(text))
    throw new Failure('input', `${flag} ${text}: expected an origin such as https://runs.example.com`);
  return text.replace(/\/$/, '');
}

function interrupted({ onSignal }: Context): Promise<void> {
  return new Promise((resolve) => void onSignal(() => resolve()));
}

async function open(link: string, context: Context): Promise<void> {
  const { openInBrowser } = await import('../../processes/browser.ts');
  const trouble = await openInBrowser(link, context.env);
  if (trouble !== undefined) context.warn(`runwire: cannot open a browser: ${trouble}; use the link`);
}
