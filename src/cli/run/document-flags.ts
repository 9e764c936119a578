import { resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Values } from '../command.ts';
import { filled } from '../../contract/flag-values.ts';
import { type FormatFlag, readFormat } from './format-flags.ts';
import type { documentOptions, RunValues } from './options.ts';

/** Where documents about the run are written, as it was typed. */
export interface Documents {
  outcome: string | undefined;
  reportMd: string | undefined;
  reportHtml: string | undefined;
  junit: string | undefined;
  prComment: string | undefined;
}

/** The CI systems that have a place for the outcome of a run. */
export type CiName = 'github' | 'gitlab' | 'buildkite';

type DocumentValues = Values<typeof documentOptions>;

/** Whether any document is asked for. */
export function wantsDocuments(values: DocumentValues, env: Environment): boolean {
  const { outcome, 'report-md': reportMd, 'report-html': reportHtml, junit, 'pr-comment': prComment } = values;
  return [outcome, reportMd, reportHtml, junit, prComment, ciOf(readGithub(values), env)].some(
    (each) => each !== undefined,
  );
}

export function readGithub(values: DocumentValues): boolean | undefined {
  return values['no-github'] === true ? false : values.github;
}

/** The CI system to which the run is reported. */
export function ciOf(github: boolean | undefined, env: Environment): CiName | undefined {
  if (github !== undefined) return github ? 'github' : undefined;
  if (env['GITHUB_ACTIONS'] === 'true') return 'github';
  if (env['GITLAB_CI'] === 'true') return 'gitlab';
  return env['BUILDKITE'] === 'true' ? 'buildkite' : undefined;
}

export function readDocuments(values: DocumentValues & Pick<RunValues, FormatFlag>): Documents {
  const outcome = filled('--outcome', values.outcome, 'outcome.json');
  const { flag } = readFormat(values);
  if (outcome === '-' && flag !== 'text')
    throw new Failure('input', `--outcome -: stdout has ${flag} already; name a file`);
  const prComment = filled('--pr-comment', values['pr-comment'], 'comment.md');
  if (prComment === '-' && flag !== 'text')
    throw new Failure('input', `--pr-comment -: stdout has ${flag} already; name a file`);
  if (prComment === '-' && outcome === '-')
    throw new Failure('input', '--pr-comment - and --outcome -: stdout can have one of them; name a file');
  const documents = {
    outcome,
    prComment,
    reportMd: filled('--report-md', values['report-md'], 'report.md'),
    reportHtml: filled('--report-html', values['report-html'], 'report.html'),
    junit: filled('--junit', values.junit, 'junit.xml'),
  };
  const names = Object.values(documents).flatMap((name) =>
    name === undefined || name === '-' || name.startsWith('/dev/') ? [] : [resolve(name)],
  );
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new Failure('input', `${twice}: two documents cannot be the same file`);
  return documents;
}
