import { present } from '../json/present.ts';
import type { Environment } from '../words/vocabulary.ts';
import { version } from '../version.ts';
import { names } from './names.ts';
import { readPairs } from './pairs.ts';
import type { Attributes } from './span.ts';

/** The source of the spans: this program, and the CI job if it runs in one. The user's attributes take precedence. */
export function resourceOf(env: Environment, warn: (message: string) => void): Attributes {
  const given = env['OTEL_RESOURCE_ATTRIBUTES'] || undefined;
  const pairs = given === undefined ? {} : readPairs(given);
  if (pairs === undefined) warn('OTEL_RESOURCE_ATTRIBUTES is not key=value,key=value: it is ignored');
  const name = env['OTEL_SERVICE_NAME'] || undefined;
  return {
    [names.serviceName]: 'runwire',
    [names.serviceVersion]: version,
    ...ciAttributes(env),
    ...pairs,
    ...present({ [names.serviceName]: name }),
  };
}

function ciAttributes(env: Environment): Attributes {
  const variable = (name: string): string | undefined => env[name] || undefined;
  if (variable('GITHUB_ACTIONS') !== undefined) {
    const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repo, GITHUB_RUN_ID: run } = env;
    return present({
      [names.pipelineName]: variable('GITHUB_WORKFLOW'),
      [names.pipelineRun]: variable('GITHUB_RUN_ID'),
      [names.pipelineUrl]: server && repo && run ? `${server}/${repo}/actions/runs/${run}` : undefined,
      [names.pipelineTask]: variable('GITHUB_JOB'),
      [names.repository]: variable('GITHUB_REPOSITORY'),
      [names.branch]: variable('GITHUB_HEAD_REF') ?? variable('GITHUB_REF_NAME'),
      [names.commit]: variable('GITHUB_SHA'),
    });
  }
  if (variable('GITLAB_CI') === undefined) return {};
  return present({
    [names.pipelineName]: variable('CI_PIPELINE_NAME'),
    [names.pipelineRun]: variable('CI_PIPELINE_ID'),
    [names.pipelineUrl]: variable('CI_PIPELINE_URL'),
    [names.pipelineTask]: variable('CI_JOB_NAME'),
    [names.repository]: variable('CI_PROJECT_PATH'),
    [names.branch]: variable('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME') ?? variable('CI_COMMIT_REF_NAME'),
    [names.commit]: variable('CI_COMMIT_SHA'),
  });
}
