import { isObject } from '../json/read.ts';
import { parseJson } from '../json/parse.ts';
import { changesBetween } from '../workspace/changes.ts';
import type { Git } from '../workspace/git.ts';
import type { Work } from './examine.ts';

/** Files that say what is installed beside the code. */
const manifests =
  /(?:^|\/)(?:(?:package-lock|npm-shrinkwrap)\.json|(?:yarn|pnpm-lock|poetry|uv|Pipfile|Cargo|Gemfile|composer|mix|pdm)\.(?:lock|yaml)|bun\.lockb?|requirements[\w.-]*\.(?:txt|in)|Pipfile|Gemfile|go\.(?:mod|sum)|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|mix\.exs|environment\.ya?ml)$/;
const dependencyFields = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
  'workspaces',
  'overrides',
];
const pythonDependencies =
  /^[ \t]*(?:dependencies|requires|install_requires|optional-dependencies|dev-dependencies)\b|^\[(?:project\.optional|tool\.poetry\.(?:group|dep)|dependency-groups)/m;

/** The work of a run between two commits. */
export async function workOf(
  git: Git,
  { commit, base }: Pick<Work, 'commit' | 'base'>,
): Promise<Omit<Work, 'prepare'>> {
  if (base === undefined || base === commit) return { commit, base, changedDependencies: false };
  const { changes } = await changesBetween(git, base, commit);
  const paths = changes.map(({ path }) => path);
  const isChanged = async (path: string, differ: (before: string, after: string) => boolean): Promise<boolean> => {
    const [before, after] = await Promise.all([textOf(git, base, path), textOf(git, commit, path)]);
    return differ(before, after);
  };
  const found = await Promise.all(
    paths.map((path) => {
      if (manifests.test(path)) return true;
      if (/(?:^|\/)package\.json$/.test(path)) return isChanged(path, differInPackages);
      // What else is in these has nothing to do with what is installed.
      if (/(?:^|\/)(?:pyproject\.toml|setup\.(?:py|cfg))$/.test(path))
        return isChanged(path, (before, after) => pythonDependencies.test(after) && linesOf(before) !== linesOf(after));
      return false;
    }),
  );
  return { commit, base, changedDependencies: found.includes(true) };
}

async function textOf(git: Git, commit: string, path: string): Promise<string> {
  const { code, stdout } = await git.ask(['cat-file', 'blob', `${commit}:${path}`]);
  return code === 0 ? stdout.toString() : '';
}

function differInPackages(before: string, after: string): boolean {
  const [old, now] = [parseJson(before), parseJson(after)];
  if (!isObject(old) || !isObject(now)) return true;
  return dependencyFields.some((field) => JSON.stringify(old[field]) !== JSON.stringify(now[field]));
}

/** The lines that may name packages. */
function linesOf(text: string): string {
  return text
    .split('\n')
    .filter((line) => /["'][\w.-]+\s*(?:[<>=!~^[]|["'])|^\s*[\w.-]+\s*=\s*["'{]/.test(line))
    .join('\n');
}
