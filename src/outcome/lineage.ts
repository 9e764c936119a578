import type { EventOf } from '../events/event.ts';
import { present } from '../json/present.ts';
import { BoundedMap } from './bounded.ts';
import type { Branch, LineageReport } from './outcome.ts';

/** The branches of a run, with everything that was reported about each put together. */
export class Lineage {
  readonly #branches: BoundedMap<Branch>;
  #start: string | undefined;
  #latest: string | undefined;

  constructor(limit: number) {
    this.#branches = new BoundedMap(limit);
  }

  updated({ branch_id, is_start, ...facts }: EventOf<'branch.updated'>): void {
    if (is_start === true) this.#start = branch_id;
    if (branch_id !== this.#start) this.#latest = branch_id;
    const {
      parent_branch_id,
      commit,
      agent,
      run_id,
      status,
      verified,
      winner,
      remarks,
      files,
      additions,
      deletions,
      cost_usd: cost,
      isolation,
    } = facts;
    const news = present({
      parent_branch_id,
      commit,
      agent,
      run_id,
      status,
      verified,
      winner,
      remarks,
      files,
      additions,
      deletions,
      cost,
      isolation,
    });
    this.#branches.set(branch_id, { branch_id, ...this.#branches.get(branch_id), ...news });
  }

  get omitted(): number {
    return this.#branches.omitted;
  }

  report(): LineageReport | undefined {
    const latest = this.#latest ?? this.#start;
    if (latest === undefined) return undefined;
    return {
      ...present({ start_branch_id: this.#start }),
      latest_branch_id: latest,
      branches: this.#branches.toArray().map(ended),
    };
  }
}

/** The run is over: a branch whose end was never reported was left unfinished. */
function ended(branch: Branch): Branch {
  return branch.status === 'running' ? { ...branch, status: 'incomplete' } : branch;
}

/** The branch is still at the commit where the work started: nothing was done on it, and a single run leaves no such branch. */
export function isUnchanged({ start_branch_id, branches }: LineageReport, { commit }: Branch): boolean {
  return commit !== undefined && commit === branches.find(({ branch_id }) => branch_id === start_branch_id)?.commit;
}
