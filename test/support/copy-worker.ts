import { workIn } from './checkouts.ts';

/** Work in a copy as a process of its own, which may be another user's: the order is JSON in the first argument. */
const { env, cwd, script, ask } = JSON.parse(process.argv[2] ?? '{}');
const { kept, ran, workspace } = await workIn({ env }, cwd, script, ask);
console.log(JSON.stringify({ kept, ran, isolation: workspace.isolation }));
