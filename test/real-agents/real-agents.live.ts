import { expect, it } from 'vitest';
import { findAgent } from '../../src/agents/registry.ts';
import type { RealAgent } from './agent.ts';
import { realAgents } from './agents/index.ts';
import { crewCases } from './crews.ts';
import { perform } from './perform.ts';
import { scenarios, type ScenarioName } from './scenarios.ts';
import { accountOf, truthOfRun } from './truth.ts';
import { passedOf, servedOf } from './wire.ts';

/** What `npm run test:agents` hands over; the folder of an agent of the user's is that of its program, which is in PATH. */
const { REAL_AGENTS = '[]', REAL_AGENTS_SCENARIOS = '', REAL_AGENTS_QUICK = '', REAL_AGENTS_WIRE = '' } = process.env;
const folders = new Map(JSON.parse(REAL_AGENTS) as [id: string, folder: string][]);
const wanted = REAL_AGENTS_SCENARIOS.split(',').filter((name) => name !== '');
const isWanted = (name: string, speed: string | undefined): boolean =>
  (wanted.length === 0 || wanted.includes(name)) && (REAL_AGENTS_QUICK === '' || speed === 'quick');
const names = (Object.keys(scenarios) as ScenarioName[]).filter((name) => isWanted(name, scenarios[name].speed));

/** What CI sends through the wire as well. */
const quickWired: ReadonlySet<ScenarioName> = new Set(['plain', 'multi-tool']);
const waysOf = (agent: RealAgent, name: ScenarioName): boolean[] => {
  const canBeWired = agent.notWired === undefined && scenarios[name].acp === undefined;
  if (REAL_AGENTS_WIRE !== '') return canBeWired ? [true] : [];
  return REAL_AGENTS_QUICK !== '' && canBeWired && quickWired.has(name) ? [false, true] : [false];
};

const cases = realAgents.flatMap((agent) => {
  const folder = folders.get(agent.id);
  const can = (name: ScenarioName): boolean =>
    agent.cannot?.[name] === undefined &&
    (scenarios[name].agents ?? [agent.id]).includes(agent.id) &&
    (scenarios[name].acp === undefined || findAgent(agent.id).acp !== undefined);
  if (folder === undefined) return [];
  return names.filter(can).flatMap((name) => waysOf(agent, name).map((isWired) => ({ agent, folder, name, isWired })));
});

for (const { agent, folder, name, isWired } of cases) {
  it.concurrent(`${agent.id}: ${name}${isWired ? ' through the wire' : ''}`, async ({ signal, onTestFailed }) => {
    const scenario = scenarios[name];
    const runs = await perform({ agent, scenario, folder, wire: isWired ? 'meter' : undefined }, signal);
    onTestFailed(() => {
      for (const { outcome, stderr } of runs) console.error(`${agent.id}: ${name}`, outcome?.verdict.evidence, stderr);
    });
    for (const [index, run] of runs.entries()) {
      // What is different after a resume is different in the resumed run.
      const differs = index === runs.length - 1 ? agent.differs?.[scenario.like ?? name] : undefined;
      if (!isWired) {
        const reach = { agent, scenario, differs };
        expect(accountOf(run, reach)).toEqual(truthOfRun(run, reach));
        continue;
      }
      // Through the wire tokens are those of all requests, and told whatever the agent tells.
      const reach = { agent: { ...agent, tellsNoTokens: true as const }, scenario, differs };
      expect({ ...accountOf(run, reach), tokens: undefined }).toEqual(truthOfRun(run, reach));
      if (scenario.refused !== true) expect(passedOf(run)).toEqual(servedOf(run));
    }
  });
}

for (const { title, perform: performTogether } of REAL_AGENTS_WIRE === '' ? crewCases(folders, isWanted) : []) {
  it.concurrent(title, async ({ signal, onTestFailed }) => {
    let told = '';
    onTestFailed(() => console.error(title, told));
    await performTogether(signal, (stderr) => void (told = stderr));
  });
}
