import { expect, it } from 'vitest';
import type { RealAgent } from './agent.ts';
import { realAgents } from './agents/index.ts';
import { perform } from './perform.ts';
import { scenarios, type Scenario, type ScenarioName } from './scenarios.ts';
import { accountOf, truthOfRun } from './truth.ts';

const { REAL_AGENTS_FOLDER: folder = '', REAL_AGENTS_ONLY: only = '', REAL_AGENTS_SCENARIOS: wanted = '', REAL_AGENTS_QUICK } = process.env;
const listed = (list: string, name: string): boolean => list === '' || list.split(',').includes(name);
const names = Object.keys(scenarios) as ScenarioName[];

interface Case {
  title: string;
  agent: RealAgent;
  scenario: Scenario;
  name: ScenarioName;
}
const cases = realAgents
  .filter(({ id }) => listed(only, id))
  .flatMap((agent) =>
    names
      .filter((name) => listed(wanted, name) && agent.cannot?.[name] === undefined)
      .map((name): Case => ({ title: `${agent.id}: ${name}`, agent, name, scenario: scenarios[name] })),
  )
  .filter(({ scenario }) => REAL_AGENTS_QUICK === undefined || scenario.speed === 'quick');

for (const { title, agent, name, scenario } of cases) {
  it.concurrent(title, async ({ signal }) => {
    const reach = { agent, scenario, differs: agent.differs?.[name] };
    const runs = await perform(agent, scenario, folder, signal);
    for (const run of runs) expect(accountOf(run, reach)).toEqual(truthOfRun(run, reach));
  });
}
