import type { Environment } from '../words/vocabulary.ts';
import type { Route } from './route.ts';

/** The variables by which the clients of each provider are given another address, and the address that they have without it. */
const standard: readonly { name: string; variable: string; upstream: string }[] = [
  { name: 'openai', variable: 'OPENAI_BASE_URL', upstream: 'https://api.openai.com/v1' },
  { name: 'anthropic', variable: 'ANTHROPIC_BASE_URL', upstream: 'https://api.anthropic.com' },
  { name: 'google', variable: 'GOOGLE_GEMINI_BASE_URL', upstream: 'https://generativelanguage.googleapis.com' },
];

/** Where any program's requests go, if it heeds the variables of the providers' own clients. What it sends as a key passes as it is. */
export function standardRoutes(env: Environment): Route[] {
  return standard.map(({ name, variable, upstream }) => {
    const own = URL.parse(env[variable] ?? '');
    return { name, upstream: own !== null && /^https?:$/.test(own.protocol) ? own.href : upstream };
  });
}

/** The variables that send it to these addresses, and past any proxy. */
export function standardVariables(address: (route: string) => string, env: Environment): Record<string, string> {
  return { ...Object.fromEntries(standard.map(({ name, variable }) => [variable, address(name)])), ...pastProxy(env) };
}

/** What is on this machine is not asked of a proxy. */
export function pastProxy(env: Environment): Record<string, string> {
  const direct = (names: string | undefined): string =>
    [names ?? '', '127.0.0.1', 'localhost'].filter((name) => name !== '').join(',');
  return { NO_PROXY: direct(env['NO_PROXY']), no_proxy: direct(env['no_proxy']) };
}
