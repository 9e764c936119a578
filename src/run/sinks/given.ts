import { fittingLabels } from '../../contract/label-limits.ts';
import type { GivenOfRun } from '../../contract/row.ts';
import { present } from '../../json/present.ts';
import { gitLabels, labelsFromEnvironment, userOf } from '../../stores/labels.ts';
import { repositoryName } from '../../stores/repository-name.ts';
import type { NewRun, TreePlace } from '../../stores/run-store.ts';
import type { RunFacts } from './sink.ts';

type Given = Omit<GivenOfRun, 'host' | 'tape'> & TreePlace & Pick<NewRun, 'labels' | 'agent' | 'model'>;

/** What is said of a run wherever it is stored. `clean` removes secrets. */
export function givenOf(
  { labels, git, env, cwd, agent, model, parent }: RunFacts,
  clean: <Value>(value: Value) => Value,
): Given {
  const known = fittingLabels({ ...gitLabels(git), ...labelsFromEnvironment(env), ...labels }).kept;
  const named = known['git.repo'] ?? '';
  return {
    labels: clean(known),
    cwd: clean(cwd),
    ...present({
      ...clean({ agent, model, user: userOf(env), repo: (repositoryName(named) ?? named) || undefined }),
      parent_run_id: parent?.run_id,
      root_run_id: parent?.root_run_id,
    }),
  };
}
