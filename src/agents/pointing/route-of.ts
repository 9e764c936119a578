import type { Route } from '../../wire/route.ts';
import { present } from '../../json/present.ts';
import { NotPointed } from './pointing.ts';

/** A route, if its address is one that a request can be sent to. */
export function routeOf(name: string, upstream: string, key: string | undefined): Route {
  const url = URL.parse(upstream.trim());
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.host === '')
    throw new NotPointed(`the address of its provider ${name} is not one of http or https`);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new NotPointed(`the address of its provider ${name} holds more than a server and a path`);
  return { name, upstream: url.href.replace(/\/$/, ''), ...present({ key }) };
}

/** A value that is shorter stands where a key is asked for and none is needed, such as `ollama`. */
const shortestSecret = 12;

export const isSecret = (key: string | undefined): key is string => key !== undefined && key.length >= shortestSecret;

/** The value of a variable that is set to something. */
export function given(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const value = env[name]?.trim() ?? '';
  return value === '' ? undefined : value;
}
