import type { Repository } from './repository.ts';

export interface Dropped {
  branch: string;
  commit: string;
}

export interface NotDropped {
  branch: string;
  why: string;
}

/** Whether a branch has a name that Runwire gives. */
function isOurs(branch: string): boolean {
  return /^runwire[/-]/.test(branch);
}

/**
 * Deletes a branch that Runwire made, and those that hold other work from its copy. A branch that has been added to or is checked
 * out stays.
 */
export async function dropBranch(
  { git }: Repository,
  branch: string,
  commit: string | undefined,
): Promise<(Dropped | NotDropped)[]> {
  if (!isOurs(branch)) return [{ branch, why: 'it is not a branch that Runwire made' }];
  const refs = [`refs/heads/${branch}`, `refs/heads/${branch}-also`];
  const listed = await git.text(['for-each-ref', '--format=%(objectname) %(refname:strip=2)', ...refs]);
  const found = listed
    .split('\n')
    .flatMap((line) =>
      line === '' ? [] : [{ commit: line.slice(0, line.indexOf(' ')), branch: line.slice(line.indexOf(' ') + 1) }],
    );
  if (found.length === 0) return [{ branch, why: 'there is no such branch any more' }];
  const results: (Dropped | NotDropped)[] = [];
  for (const each of found) {
    if (each.branch === branch && commit !== undefined && each.commit !== commit) {
      results.push({
        branch,
        why: `it stands on ${each.commit.slice(0, 12)}, not on ${commit.slice(0, 12)}, where the run left it`,
      });
      continue;
    }
    const { code, stderr } = await git.ask(['branch', '-q', '-D', '--', each.branch]);
    results.push(code === 0 ? each : { branch: each.branch, why: stderr.trim().replace(/^error: /, '') });
  }
  return results;
}

/** Deletes the branch of work that changed nothing, unless somebody has added to it. */
export async function dropUnchanged(
  { git }: Pick<Repository, 'git'>,
  { branch, base, commit }: { branch: string; base: string; commit: string },
): Promise<void> {
  if (isOurs(branch) && commit === base) await git.ask(['update-ref', '-d', `refs/heads/${branch}`, commit]);
}
