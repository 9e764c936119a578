import { userInfo } from 'node:os';
import type { Labels } from '../contract/labels.ts';
import type { Environment } from '../words/vocabulary.ts';
import { withoutUser } from '../redact/without-user.ts';

/** Which environment variables of a service hold what; the first that is set counts. */
interface Service {
  name: string;
  isHere: string;
  job: readonly string[];
  url: readonly string[];
  repo: readonly string[];
  user: readonly string[];
  branch: readonly string[];
  commit: readonly string[];
}

const services: readonly Service[] = [
  {
    name: 'github',
    isHere: 'GITHUB_ACTIONS',
    job: ['GITHUB_JOB'],
    url: [],
    repo: ['GITHUB_REPOSITORY'],
    user: ['GITHUB_ACTOR'],
    branch: ['GITHUB_HEAD_REF', 'GITHUB_REF_NAME'],
    commit: ['GITHUB_SHA'],
  },
  {
    name: 'gitlab',
    isHere: 'GITLAB_CI',
    job: ['CI_JOB_NAME'],
    url: ['CI_JOB_URL'],
    repo: ['CI_PROJECT_PATH'],
    user: ['GITLAB_USER_LOGIN'],
    branch: ['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME', 'CI_COMMIT_REF_NAME'],
    commit: ['CI_COMMIT_SHA'],
  },
  {
    name: 'buildkite',
    isHere: 'BUILDKITE',
    job: ['BUILDKITE_LABEL', 'BUILDKITE_STEP_KEY'],
    url: ['BUILDKITE_BUILD_URL'],
    repo: ['BUILDKITE_REPO'],
    user: ['BUILDKITE_BUILD_CREATOR'],
    branch: ['BUILDKITE_BRANCH'],
    commit: ['BUILDKITE_COMMIT'],
  },
  {
    name: 'circleci',
    isHere: 'CIRCLECI',
    job: ['CIRCLE_JOB'],
    url: ['CIRCLE_BUILD_URL'],
    repo: ['CIRCLE_REPOSITORY_URL', 'CIRCLE_PROJECT_REPONAME'],
    user: ['CIRCLE_USERNAME'],
    branch: ['CIRCLE_BRANCH'],
    commit: ['CIRCLE_SHA1'],
  },
  {
    name: 'azure',
    isHere: 'TF_BUILD',
    job: ['SYSTEM_JOBDISPLAYNAME', 'BUILD_DEFINITIONNAME'],
    url: [],
    repo: ['BUILD_REPOSITORY_NAME'],
    user: ['BUILD_REQUESTEDFOR'],
    branch: ['SYSTEM_PULLREQUEST_SOURCEBRANCH', 'BUILD_SOURCEBRANCH'],
    commit: ['BUILD_SOURCEVERSION'],
  },
  {
    name: 'jenkins',
    isHere: 'JENKINS_URL',
    job: ['JOB_NAME'],
    url: ['BUILD_URL'],
    repo: ['GIT_URL'],
    user: ['CHANGE_AUTHOR', 'BUILD_USER_ID'],
    branch: ['CHANGE_BRANCH', 'BRANCH_NAME', 'GIT_BRANCH'],
    commit: ['GIT_COMMIT'],
  },
];

/** What the CI service says about the job; empty outside CI. */
export function labelsFromEnvironment(env: Environment): Labels {
  const service = services.find(({ isHere }) => (env[isHere] ?? '') !== '');
  if (service === undefined) return {};
  const valueOf = (names: readonly string[]): string =>
    names.map((name) => env[name] ?? '').find((value) => value !== '') ?? '';
  const url = service.name === 'github' ? githubUrl(env) : valueOf(service.url);
  // A URL may contain a token.
  return withoutEmpty({
    ci: service.name,
    'ci.job': valueOf(service.job),
    'ci.url': withoutUser(url),
    'git.repo': withoutUser(valueOf(service.repo)),
    'git.branch': valueOf(service.branch).replace(/^refs\/heads\//, ''),
    'git.commit': valueOf(service.commit),
  });
}

/** Who started the run: the user that the CI service names, else the user of this process. */
export function userOf(env: Environment): string | undefined {
  const service = services.find(({ isHere }) => (env[isHere] ?? '') !== '');
  const named = service?.user.map((name) => env[name] ?? '').find((value) => value !== '');
  if (named !== undefined) return named;
  try {
    return userInfo().username;
  } catch {
    return env['USER'] || env['LOGNAME'] || undefined;
  }
}

/** What git says about a folder; unknown values are absent or empty. */
export interface GitFacts {
  /** The name of its folder. */
  repo?: string;
  /** `owner/name`, as in its remote. */
  identity?: string;
  branch?: string;
  commit?: string;
}

export function gitLabels({ repo = '', identity = '', branch = '', commit = '' }: GitFacts): Labels {
  return withoutEmpty({ 'git.repo': identity || repo, 'git.branch': branch, 'git.commit': commit });
}

function githubUrl(env: Environment): string {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repo, GITHUB_RUN_ID: run } = env;
  return server && repo && run ? `${server}/${repo}/actions/runs/${run}` : '';
}

function withoutEmpty(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
}
