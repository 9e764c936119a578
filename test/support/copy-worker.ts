import { reclaim } from '../../src/workspace/reclaim.ts';
import { owners } from '../../src/run/sources/isolated.ts';
import { workIn } from './checkouts.ts';

/** Work in a copy as a process of its own, which may be another user or be killed: the order is JSON in the first argument. */
const { env, cwd, script, ask, reclaims } = JSON.parse(process.argv[2] ?? '{}');
if (reclaims === true) console.log(JSON.stringify(await reclaim(env, { owners })));
else {
  const { kept, ran, workspace } = await workIn({ env }, cwd, script, ask);
  console.log(JSON.stringify({ kept, ran, isolation: workspace.isolation }));
}
