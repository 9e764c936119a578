import { mkdir, mkdtemp, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { isInside } from '../files/inside.ts';
import { owners } from '../run/sources/isolated.ts';
import type { Environment } from '../words/vocabulary.ts';
import { Git } from '../workspace/git.ts';
import { credentialsFor } from '../workspace/push.ts';
import { listCopies, reclaim } from '../workspace/reclaim.ts';
import { removeFolder } from '../workspace/remove-folder.ts';
import { stateFolder } from '../files/xdg.ts';
import type { Origin } from './job.ts';
import { shellScript } from '../files/shell-script.ts';
import { makeFolder } from '../files/make-folder.ts';

/** A checkout for one run, made from nothing but the repository and the commit. */
export interface Checkout {
  /** Where the run works. */
  cwd: string;
  git: Git | undefined;
  remove(): Promise<void>;
}

/**
 * A store of objects for each repository stays on the worker, so that the next run fetches only what is new. Its settings are written
 * each time: what an agent put there must not take part when the worker fetches as itself. Servers that refuse a bare commit are
 * asked for all branches.
 */
const fetchScript = shellScript(import.meta.dirname, 'scripts/fetch.sh');

/** The checkout borrows objects from the store, which never removes any. */
const checkoutScript = shellScript(import.meta.dirname, 'scripts/checkout.sh');

export async function makeCheckout(
  origin: Origin | undefined,
  bundle: Uint8Array | undefined,
  { env, signal }: { env: Environment; signal: AbortSignal },
): Promise<Checkout> {
  const home = join(stateFolder(env), 'fleet');
  makeFolder(checkoutsIn(env));
  const folder = await mkdtemp(join(checkoutsIn(env), 'run-'));
  await writeFile(join(folder, ownerFile), JSON.stringify(owners.self()), { mode: 0o600 });
  const remove = (): Promise<void> => removeFolder(folder);
  try {
    if (origin === undefined) {
      await mkdir(join(folder, 'work'));
      return { cwd: join(folder, 'work'), git: undefined, remove };
    }
    const { remote = '', commit, branch, below, name } = origin;
    const stores = join(home, 'repositories');
    makeFolder(stores);
    const bundleFile = join(folder, 'source.bundle');
    if (bundle !== undefined) await writeFile(bundleFile, bundle, { mode: 0o600 });
    const store = join(stores, `${await digest(remote === '' ? name : remote)}.git`);
    const git = new Git(home, env);
    const access = { signal, env: credentialsFor(remote, env) };
    await git.script(fetchScript, [store, remote, commit, bundle === undefined ? '' : bundleFile], access);
    // Agents and labels take the folder's name as the name of the project.
    const checkout = join(folder, 'checkout', folderName(name));
    await git.script(checkoutScript, [store, checkout, commit, remote, isBranch(branch) ? branch : 'work'], { signal });
    const cwd = join(checkout, below);
    // A folder of the repository may be a link.
    if (!isInside(cwd, checkout) || !isInside(await realpath(cwd), await realpath(checkout)))
      throw new Failure('input', `${below} is outside the repository`);
    return { cwd, git: new Git(checkout, env), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A safe folder name from the last part of a name; never one that leads elsewhere. */
function folderName(name: string): string {
  const word = (name.split('/').at(-1) ?? '').slice(0, longestName).replace(/[^\w.-]/g, '-');
  return /^\.*$|^\.git$/i.test(word) ? 'work' : word;
}

const longestName = 100;
const ownerFile = 'owner.json';

/** Where the checkouts of this worker are. */
export function checkoutsIn(env: Environment): string {
  return join(stateFolder(env), 'fleet', 'places');
}

/** Removes what killed workers of this machine left. Their runs are done again elsewhere, so nothing in it is worth keeping. */
export async function sweepPlaces(env: Environment): Promise<void> {
  const places = checkoutsIn(env);
  const copies = listCopies(env, owners).filter(({ root, state }) => state === 'left' && isInside(root, places));
  if (copies.length > 0) await reclaim(env, { owners, ids: copies.map(({ id }) => id), discards: true });
  for (const name of await readdir(places).catch(() => [])) {
    const note = join(places, name, ownerFile);
    const [text, { mtimeMs }] = await Promise.all([
      readFile(note, 'utf8').catch(() => ''),
      stat(note).catch(() => ({ mtimeMs: 0 })),
    ]);
    if (text !== '' && owners.isGone(JSON.parse(text), mtimeMs)) await removeFolder(join(places, name));
  }
}

function isBranch(name: string | undefined): name is string {
  return (
    name !== undefined &&
    /^[A-Za-z0-9][\w./-]{0,200}$/.test(name) &&
    !/^[\da-f]{40,64}$|\.\.|\/\/|\.lock(?:\/|$)|[./]$/.test(name)
  );
}

async function digest(text: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
