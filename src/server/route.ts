import type { Context, Hono } from 'hono';
import type { ServerEnv } from './env.ts';
import { allow, notSimple } from './guard.ts';
import { Problem } from './problem.ts';
import { type Parameter, type RouteEntry, type RouteName, routeTable } from './route-table.ts';

type ParameterOf<Name extends RouteName> = (typeof routeTable)[Name] extends { parameters: infer Parameters }
  ? Extract<keyof Parameters, string>
  : never;

/** What a request says: only what the table has can be asked for. */
export interface Query<Name extends string> {
  /** Undefined: it was not given, or is empty. */
  word(name: Name): string | undefined;
  /** Throws `Problem` if it is not in the bounds of the table. */
  whole(name: Name): number | undefined;
}

type Handler<Name extends RouteName> = (
  context: Context<ServerEnv>,
  query: Query<ParameterOf<Name>>,
) => Response | undefined | Promise<Response | undefined>;

/** What every route of the table does. */
export type Handlers = { readonly [Name in RouteName]: Handler<Name> };

/** Adds every route of the table, with the checks that it needs. `undefined` from a handler: there is nothing here after all. */
export function addRoutes(app: Hono<ServerEnv>, handlers: Handlers): void {
  for (const [name, entry] of Object.entries<RouteEntry>(routeTable)) {
    const [method = '', path = ''] = name.split(' ');
    const handle = handlers[name as RouteName] as Handler<RouteName>;
    app.on(
      method.toUpperCase(),
      [path.replace(/\{(\w+)\}/g, ':$1')],
      ...(method === 'post' ? [notSimple] : []),
      ...(entry.right === undefined ? [] : [allow(entry.right)]),
      async (context) => (await handle(context, queryIn(context, entry.parameters ?? {}))) ?? context.notFound(),
    );
  }
}

function queryIn(context: Context<ServerEnv>, parameters: Readonly<Record<string, Parameter>>): Query<string> {
  const word = (name: string): string | undefined =>
    (parameters[name]?.in === 'header' ? context.req.header(name) : context.req.query(name)) || undefined;
  return {
    word,
    whole(name) {
      const text = word(name);
      const [least, most] = parameters[name]?.whole ?? [0, Number.MAX_SAFE_INTEGER];
      if (text === undefined) return undefined;
      const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
      if (!(value >= least && value <= most))
        throw new Problem('input', `${name}: expected a number from ${least} to ${most}`);
      return value;
    },
  };
}
