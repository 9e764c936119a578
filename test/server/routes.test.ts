import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { ServerEnv } from '../../src/server/env.ts';
import { openApi } from '../../src/server/openapi.ts';
import { addRoutes, type Handlers } from '../../src/server/route.ts';
import { type RouteEntry, type RouteName, routeTable } from '../../src/server/route-table.ts';

const names = Object.keys(routeTable) as RouteName[];
const entries = Object.entries<RouteEntry>(routeTable);
/** Answers as if there were nothing. */
const nowhere = Object.fromEntries(names.map((name) => [name, () => undefined])) as Partial<Handlers> as Handlers;
const server = join(import.meta.dirname, '..', '..', 'src', 'server');

describe('a route', () => {
  it('is in the app and in its description because it is in the table, and in no other way', () => {
    const app = new Hono<ServerEnv>();
    addRoutes(app, nowhere);
    const paths = app.routes.map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect([...new Set(paths)]).toEqual(names);
    for (const file of readdirSync(server, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    ))
      expect([
        file,
        /\bapp\.(?:get|post|put|patch|delete|all|on|route|mount)\(/.test(readFileSync(join(server, file), 'utf8')),
      ]).toEqual([file, file === 'route.ts']);

    const { paths: described } = openApi() as { paths: Record<string, object> };
    const operations = Object.entries(described).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(operations.toSorted()).toEqual(
      entries
        .filter(([, { answer }]) => answer !== undefined)
        .map(([name]) => name)
        .toSorted(),
    );
  });

  it('about runs needs a right, and one that changes something another than to read', () => {
    for (const [name, { right }] of entries.filter(([each]) => each.includes(' /api/')))
      expect([name, right]).not.toEqual([name, undefined]);
    for (const [name, { right }] of entries.filter(([each]) => !each.startsWith('get ')))
      expect([name, right]).not.toEqual([name, 'read']);
  });

  it('is given only what the table says can be asked there', async () => {
    const app = new Hono<ServerEnv>();
    app.onError((error, context) => context.text(error.message, 400));
    const heard: unknown[] = [];
    addRoutes(app, {
      ...nowhere,
      'get /login'(context, asked) {
        heard.push(asked.word('token'));
        return context.text('');
      },
    });
    for (const query of ['', '?token=', '?token=a', '?token=a&token=b']) await app.request(`/login${query}`);
    expect(heard).toEqual([undefined, undefined, 'a', 'a']);
    expect((await app.request('/nowhere')).status).toBe(404);
  });
});
