import { expect, it } from 'vitest';
import { findAgent } from '../../src/agents/registry.ts';
import { realAgents } from './agents/index.ts';
import { crewCases } from './crews.ts';
import { perform } from './perform.ts';
import { scenarios, type ScenarioName } from './scenarios.ts';
import { accountOf, truthOfRun } from './truth.ts';

/** What `npm run test:agents` hands over; the folder of an agent of the user's is that of its program, which is in PATH. */
const { REAL_AGENTS = '[]', REAL_AGENTS_SCENARIOS = '', REAL_AGENTS_QUICK = '' } = process.env;
const folders = new Map(JSON.parse(REAL_AGENTS) as [id: string, folder: string][]);
const wanted = REAL_AGENTS_SCENARIOS.split(',').filter((name) => name !== '');
const isWanted = (name: string, speed: string | undefined): boolean =>
  (wanted.length === 0 || wanted.includes(name)) && (REAL_AGENTS_QUICK === '' || speed === 'quick');
const names = (Object.keys(scenarios) as ScenarioName[]).filter((name) => isWanted(name, scenarios[name].speed));

const cases = realAgents.flatMap((agent) => {
  const folder = folders.get(agent.id);
  const can = (name: ScenarioName): boolean =>
    agent.cannot?.[name] === undefined && (scenarios[name].acp === undefined || findAgent(agent.id).acp !== undefined);
  return folder === undefined ? [] : names.filter(can).map((name) => ({ agent, folder, name }));
});

for (const { agent, folder, name } of cases) {
  it.concurrent(`${agent.id}: ${name}`, async ({ signal, onTestFailed }) => {
    const scenario = scenarios[name];
    const runs = await perform(agent, scenario, folder, signal);
    onTestFailed(() => {
      for (const { outcome, stderr } of runs) console.error(`${agent.id}: ${name}`, outcome?.verdict.evidence, stderr);
    });
    for (const [index, run] of runs.entries()) {
      // What is different after a resume is different in the resumed run.
      const reach = { agent, scenario, differs: index === runs.length - 1 ? agent.differs?.[scenario.like ?? name] : undefined };
      expect(accountOf(run, reach)).toEqual(truthOfRun(run, reach));
    }
  });
}

for (const { title, perform: performTogether } of crewCases(folders, isWanted)) {
  it.concurrent(title, async ({ signal, onTestFailed }) => {
    let told = '';
    onTestFailed(() => console.error(title, told));
    await performTogether(signal, (stderr) => void (told = stderr));
  });
}
