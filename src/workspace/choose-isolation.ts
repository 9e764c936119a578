import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import type { IsolationKind } from '../words/vocabulary.ts';
import { Clone } from './clone.ts';
import type { CopyPlan, Isolation, Means } from './isolation.ts';
import { Overlay, whyNoOverlay } from './overlay.ts';
import { Worktree } from './worktree.ts';

type Wanted = 'auto' | IsolationKind;

export function isolationOf(kind: IsolationKind, plan: CopyPlan, means: Means): Isolation {
  switch (kind) {
    case 'overlay':
      return new Overlay(plan, means);
    case 'clone':
      return new Clone(plan, means);
    case 'worktree':
      return new Worktree(plan, means);
  }
}

const tried = new Map<string, Promise<string | undefined>>();

/** Why there can be no overlay with its layers beside this folder; found out once, by trying in it. */
export function tryOverlay(folder: string): Promise<string | undefined> {
  const copies = dirname(folder);
  const trial = tried.get(copies) ?? whyNoOverlay(folder);
  tried.set(copies, trial);
  return trial;
}

export function mayBeOverlay(isolate: Wanted): boolean {
  return isolate === 'auto' || isolate === 'overlay';
}

export function chooseIsolation(
  wanted: Wanted,
  whyNot: string | undefined,
): { kind: IsolationKind; remarks: string[] } {
  if (wanted === 'clone' || wanted === 'worktree') return { kind: wanted, remarks: [] };
  if (whyNot === undefined) return { kind: 'overlay', remarks: [] };
  if (wanted === 'overlay')
    throw new Failure('config', `--isolate overlay is not possible here: ${whyNot}; try --isolate clone`);
  return {
    kind: 'clone',
    remarks: [`no overlay is possible here (${whyNot}): a clone is used, without the files that git ignores`],
  };
}
