import { present } from '../present.ts';
import type { Environment } from '../vocabulary.ts';
import { version } from '../version.ts';
import { names } from './names.ts';
import { readPairs } from './pairs.ts';
import type { Attributes } from './span.ts';

/** The source of the spans: this program, and the CI job if it runs in one. The user's attributes take precedence. */
export function resourceOf(env: Environment, warn: (message: string) => void): Attributes {
  const given = env['OTEL_RESOURCE_ATTRIBUTES'] || undefined;
  const said = given === undefined ? {} : readPairs(given);
  if (said === undefined) warn('OTEL_RESOURCE_ATTRIBUTES is not key=value,key=value: it is ignored');
  const name = env['OTEL_SERVICE_NAME'] || undefined;
  return {
    [names.serviceName]: 'runwire',
    [names.serviceVersion]: version,
    ...ciAttributes(env),
    ...said,
    ...present({ [names.serviceName]: name }),
  };
}

function ciAttributes(env: Environment): Attributes {
  const said = (name: string): string | undefined => env[name] || undefined;
  if (said('GITHUB_ACTIONS') !== undefined) {
    const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repo, GITHUB_RUN_ID: run } = env;
    return present({
      [names.pipelineName]: said('GITHUB_WORKFLOW'),
      [names.pipelineRun]: said('GITHUB_RUN_ID'),
      [names.pipelineUrl]: server && repo && run ? `${server}/${repo}/actions/runs/${run}` : undefined,
      [names.pipelineTask]: said('GITHUB_JOB'),
      [names.repository]: said('GITHUB_REPOSITORY'),
      [names.branch]: said('GITHUB_HEAD_REF') ?? said('GITHUB_REF_NAME'),
      [names.commit]: said('GITHUB_SHA'),
    });
  }
  if (said('GITLAB_CI') === undefined) return {};
  return present({
    [names.pipelineName]: said('CI_PIPELINE_NAME'),
    [names.pipelineRun]: said('CI_PIPELINE_ID'),
    [names.pipelineUrl]: said('CI_PIPELINE_URL'),
    [names.pipelineTask]: said('CI_JOB_NAME'),
    [names.repository]: said('CI_PROJECT_PATH'),
    [names.branch]: said('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME') ?? said('CI_COMMIT_REF_NAME'),
    [names.commit]: said('CI_COMMIT_SHA'),
  });
}
