import { join } from 'node:path';
import { expect } from 'vitest';
import type { ModelRequest, TurnInput } from '../support/model-server/index.ts';
import type { RealAgent } from './agent.ts';
import { realAgents } from './agents/index.ts';
import { type CrewScenarioName, crewScenarios } from './crew-scenarios.ts';
import { type Asked, type Done, type Member, verify, withCrew } from './crew.ts';

/** Who asks: of each format there is one agent in a crew. */
const agentOf = (
  { format, model }: Pick<ModelRequest, 'format' | 'model'>,
  crew: readonly Member[],
): RealAgent | undefined => (model === 'brain' ? undefined : crew.find(({ agent }) => agent.format === format)?.agent);

const usage = { input: 1200, cached: 400, output: 60 };
const price = { input: 1, cached: 0.1, output: 4 };
const costOf = ({ input, cached, output }: typeof usage): number =>
  ((input - cached) * price.input + cached * price.cached + output * price.output) / 1e6;

/** An agent reads the value, changes it, and says so. */
function changesValue({ hands }: RealAgent, index: number, cwd: string, value: string): TurnInput {
  const path = join(cwd, 'value.txt');
  const turns: readonly TurnInput[] = [
    { text: 'I look at the value.', calls: [hands.read(path)], usage },
    { text: 'I change it.', calls: [hands.edit(path, 'wrong', value)], usage },
    { text: `The value is ${value} now.`, usage },
  ];
  return turns[index] ?? { fault: { status: 400, kind: 'invalid_request' } };
}

type Crew = readonly Member[];
type Run = (asked: Omit<Asked, 'crew' | 'signal'>, check: (done: Done) => void) => Promise<void>;

const modelOf = ({ flags = [] }: Pick<RealAgent, 'flags'> = {}): string[] =>
  flags.filter((_, index) => flags[index - 1] === '--model');
const membersOf = (crew: Crew): string[] => [
  '--agents',
  crew.map(({ agent }) => [agent.id, ...modelOf(agent)].join('=')).join(','),
  ...crew.flatMap(({ agent }) => (agent.pass ?? []).flatMap((name) => ['--env', name])),
];
const prices = ['--price', `input=${price.input},output=${price.output},cache_read=${price.cached}`];

const race = (crew: Crew, run: Run): Promise<void> =>
  run(
    {
      args: () => [
        'race',
        'Make the check pass.',
        ...membersOf(crew),
        ...prices,
        '--verify',
        verify,
        '--best',
        'cheapest',
      ],
      answer(request, index, cwd) {
        const agent = agentOf(request, crew);
        return agent === undefined ? {} : changesValue(agent, index, cwd, agent.id === 'codex' ? 'left' : 'right');
      },
    },
    ({ status, report, git, cwd, served, left }) => {
      const [, codex, opencode] = report.lineage.branches;
      expect({ status, left }).toEqual({ status: 0, left: [] });
      expect(codex).toMatchObject({ agent: 'codex', status: 'success', verified: 'base_red', files: 1 });
      expect(opencode).toMatchObject({
        agent: 'opencode',
        status: 'success',
        verified: 'passed',
        files: 1,
        winner: true,
      });
      expect(codex?.winner).toBeUndefined();
      for (const { branch_id, commit } of [codex, opencode].flatMap((each) => each ?? []))
        expect(git(cwd, 'rev-parse', branch_id)).toBe(commit);
      expect(git(cwd, 'show', `${codex?.commit}:value.txt`)).toBe('left');
      expect(git(cwd, 'show', `${opencode?.commit}:value.txt`)).toBe('right');
      const [ofCodex, ofOpencode] = [
        served(({ format }) => format === 'responses'),
        served(({ format }) => format === 'chat'),
      ];
      expect(codex?.cost).toBeCloseTo(costOf(ofCodex), 9);
      expect(opencode?.cost).toBeCloseTo(costOf(ofOpencode), 9);
      const input_tokens = ofCodex.input + ofOpencode.input;
      const output_tokens = ofCodex.output + ofOpencode.output;
      expect(report.usage).toMatchObject({
        runs: 3,
        input_tokens,
        output_tokens,
        tokens_used: input_tokens + output_tokens,
      });
      expect(report.usage.cost).toBeCloseTo(costOf(ofCodex) + costOf(ofOpencode), 9);
    },
  );

function orchestrate(crew: Crew, run: Run): Promise<void> {
  const call = (name: string, args: Record<string, string | string[]>): TurnInput => ({
    calls: [{ name, args }],
    usage,
  });
  const brain: readonly TurnInput[] = [
    call('parallel_explore', { prompts: ['Make the check pass.', 'Write notes of what was wrong.'] }),
    call('merge_branches', { branch_ids: ['1', '2'] }),
    call('publish', { branch_id: '3', message: 'Correct the value, with notes' }),
    { text: 'The check passes, and the notes are there.', usage },
  ];
  return run(
    {
      args: (url) => {
        const model = ['--model', 'openai-compatible/brain', '--base-url', `${url}/v1`, ...prices];
        return [
          'orchestrate',
          '--task',
          'Correct it, with notes.',
          ...model,
          ...membersOf(crew),
          '--verify',
          verify,
          '--publish',
          'branch',
        ];
      },
      answer(request, index, cwd) {
        const agent = agentOf(request, crew);
        if (agent === undefined) return brain[index] ?? {};
        if (agent.id === 'codex') return changesValue(agent, index, cwd, 'right');
        const notes = agent.hands.write(join(cwd, 'notes.txt'), 'The value was wrong.\n');
        return index === 0 ? { text: 'I write it down.', calls: [notes], usage } : { text: 'It is written.', usage };
      },
    },
    ({ status, stderr, report, git, cwd, remote, served, left }) => {
      const [, fix, notes, merged] = report.lineage.branches;
      expect({ status, left }).toEqual({ status: 0, left: [] });
      expect(stderr).not.toMatch(/warning: (?!verify failed|the verify command fails before any work)/);
      expect(fix).toMatchObject({ agent: 'codex', status: 'success', verified: 'passed' });
      expect(notes).toMatchObject({ agent: 'opencode', status: 'success', verified: 'base_red' });
      expect(merged).toMatchObject({ verified: 'passed', files: 2 });
      for (const { branch_id, commit } of report.lineage.branches)
        expect(git(cwd, 'rev-parse', branch_id)).toBe(commit);
      expect(git(cwd, 'diff', '--name-only', 'main', merged?.branch_id ?? '')).toBe('notes.txt\nvalue.txt');
      expect(report.publish).toMatchObject({ status: 'success' });
      expect(git(remote, 'for-each-ref', '--format=%(refname) %(objectname)')).toBe(
        `${report.publish?.ref} ${merged?.commit}`,
      );
      const copy = join(remote, '..', 'fresh');
      git(remote, 'clone', '-q', '--branch', merged?.branch_id ?? '', remote, copy);
      expect(() => git(copy, '-c', `alias.check=!${verify}`, 'check')).not.toThrow();
      const all = served(() => true);
      expect(report.usage).toMatchObject({ runs: 3, input_tokens: all.input, output_tokens: all.output });
      expect(report.usage.cost).toBeCloseTo(costOf(all), 9);
    },
  );
}

/** The same agent several times at once: one home for all, and one path. */
const attempts = (crew: Crew, run: Run): Promise<void> =>
  run(
    {
      args: () => [
        'race',
        'Make the check pass.',
        ...membersOf(crew),
        '--permission-mode',
        'full',
        '--verify',
        verify,
        '--attempts',
        '3',
        '--best',
        'smallest',
      ],
      answer: (_, index, cwd) => (crew[0] === undefined ? {} : changesValue(crew[0].agent, index, cwd, 'right')),
    },
    ({ status, report, git, cwd, served, left }) => {
      const branches = report.lineage.branches.slice(1);
      expect({ status, left }).toEqual({ status: 0, left: [] });
      expect(branches.map((branch) => [branch.status, branch.verified, branch.files, branch.winner])).toEqual([
        ['success', 'passed', 1, true],
        ['success', 'passed', 1, undefined],
        ['success', 'passed', 1, undefined],
      ]);
      for (const { branch_id, commit } of branches) expect(git(cwd, 'rev-parse', branch_id)).toBe(commit);
      const all = served(() => true);
      expect(report.usage).toMatchObject({ runs: 4, input_tokens: all.input, output_tokens: all.output });
    },
  );

/** The key of the first one is refused: the second one answers, and each tells what it used. */
const fallBack = (crew: Crew, run: Run): Promise<void> => {
  const [first, second] = crew.map(({ agent }) => agent);
  const fallback = [second?.id, ...modelOf(second)].join('=');
  return run(
    {
      args: () => [
        'run',
        'Make the check pass.',
        '--agent',
        first?.id ?? '',
        '--fallback',
        fallback,
        '--permission-mode',
        'full',
        '--to',
        'runwire',
        ...crew.flatMap(({ agent }) => (agent.pass ?? []).flatMap((name) => ['--env', name])),
        '--isolate',
        'overlay',
        '--on-limit',
        'wait',
      ],
      answer(request, index, cwd) {
        const agent = agentOf(request, crew);
        return agent === undefined || agent === first
          ? { fault: { status: 401 } }
          : changesValue(agent, index, cwd, 'right');
      },
    },
    ({ status, report, served, left }) => {
      expect({ status, left }).toEqual({ status: 0, left: [] });
      const all = served(() => true);
      expect(report).toMatchObject({
        verdict: { class: 'success', exit_code: 0 },
        message: 'The value is right now.',
        metrics: { input_tokens: all.input, output_tokens: all.output },
        agents: [
          { agent: first?.id, class: 'provider', code: 'auth' },
          { agent: second?.id, class: 'success', tokens_used: all.input + all.output },
        ],
      });
    },
  );
};

const performances: Readonly<Record<CrewScenarioName, (crew: Crew, run: Run) => Promise<void>>> = {
  race,
  orchestrate,
  'fall-back': fallBack,
  attempts,
};

interface CrewCase {
  title: string;
  perform(signal: AbortSignal, onTold: (stderr: string) => void): Promise<void>;
}

/** The scenarios of several agents whose names are wanted and whose agents are all there. */
export function crewCases(
  folders: ReadonlyMap<string, string>,
  isWanted: (name: string, speed: string | undefined) => boolean,
): CrewCase[] {
  const installed = realAgents.flatMap((agent): Member[] => {
    const folder = folders.get(agent.id);
    return folder === undefined ? [] : [{ agent, folder }];
  });
  const names = (Object.keys(crewScenarios) as CrewScenarioName[]).filter((name) =>
    isWanted(name, crewScenarios[name].speed),
  );
  return names.flatMap((name) => {
    const { agents } = crewScenarios[name];
    const crews =
      agents === 'each'
        ? installed.map((each) => [each])
        : [installed.filter(({ agent }) => agents.some((id) => id === agent.id))];
    return crews
      .filter((crew) => agents === 'each' || crew.length === agents.length)
      .filter((crew) => crew.every(({ agent }) => agent.cannot?.[name] === undefined))
      .map((crew) => ({
        title: `${crew.map(({ agent }) => agent.id).join(', ')}: ${name}`,
        perform: (signal, onTold) =>
          performances[name](crew, (asked, check) =>
            withCrew({ ...asked, crew, signal }, (done) => {
              onTold(done.stderr);
              check(done);
            }),
          ),
      }));
  });
}
