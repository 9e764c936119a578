import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findAgent } from '../../src/agents/registry.ts';
import type { RehearsalReport, ReplayReport } from '../../src/replay/report.ts';
import type { Place, RealAgent } from './agent.ts';
import { realAgents } from './agents/index.ts';
import { perform } from './perform.ts';
import { scenarios, type ScenarioName } from './scenarios.ts';

const {
  REAL_AGENTS_KNOWN = '[]',
  REAL_AGENTS_SCENARIOS = '',
  REAL_AGENTS_REPLAY = '',
  REAL_AGENTS_NEXT = '[]',
} = process.env;
const folders = new Map(JSON.parse(REAL_AGENTS_KNOWN) as [id: string, folder: string][]);
/** Newer versions to rehearse. */
const nextFolders = new Map(JSON.parse(REAL_AGENTS_NEXT) as [id: string, folder: string][]);
const wanted = REAL_AGENTS_SCENARIOS.split(',').filter((name) => name !== '');

/** What CI replays, of agents that do the same twice: Qwen Code loses the output of a quick command now and then. */
const quick: ReadonlySet<string> = new Set(['multi-tool']);
const changeable: ReadonlySet<string> = new Set(['qwen']);

/** A session that was resumed has gone on since, and whoever interrupted a run is not there any more. */
function canBeReplayed(agent: RealAgent, name: ScenarioName): boolean {
  const scenario = scenarios[name];
  return (
    agent.notWired === undefined &&
    agent.cannot?.[name] === undefined &&
    (scenario.agents ?? [agent.id]).includes(agent.id) &&
    [scenario.acp, scenario.refused, scenario.resumeWith, scenario.interrupt, scenario.order, scenario.waits].every(
      (each) => each === undefined,
    )
  );
}

/** Why this agent is not replayed to the end. */
const departs: Partial<Record<string, Partial<Record<ScenarioName, string>>>> = {
  gemini: { 'clone-copy': 'it tells its model the name of a folder that it makes from that of the checkout' },
};

const isWanted = ({ id }: RealAgent, name: ScenarioName): boolean =>
  wanted.length > 0 ? wanted.includes(name) : REAL_AGENTS_REPLAY === 'all' || (quick.has(name) && !changeable.has(id));

const cases = (REAL_AGENTS_REPLAY === '' ? [] : realAgents).flatMap((agent) => {
  const folder = folders.get(agent.id);
  if (folder === undefined) return [];
  const names = (Object.keys(scenarios) as ScenarioName[]).filter(
    (name) => isWanted(agent, name) && canBeReplayed(agent, name),
  );
  return names.map((name) => ({ agent, folder, name }));
});

/** Whoever still asks where the model was is counted. */
async function listenAt({ url }: Place): Promise<() => Promise<number>> {
  let contacts = 0;
  const server = createServer((socket) => {
    contacts += 1;
    socket.destroy();
  });
  server.listen(Number(new URL(url).port), '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    server.close();
    await once(server, 'close');
    return contacts;
  };
}

const programIn = ({ id }: RealAgent, folder: string): string =>
  join(folder, 'node_modules', '.bin', findAgent(id).binaries[0] ?? id);

for (const { agent, folder, name } of cases) {
  it.concurrent(`${agent.id}: ${name} again, from its recording`, async ({ signal, onTestFailed }) => {
    const told: unknown[] = [];
    onTestFailed(() => console.error(`${agent.id}: ${name}`, JSON.stringify(told)));
    await perform(
      {
        agent,
        scenario: scenarios[name],
        folder,
        wire: 'record',
        async after(command, place) {
          const close = await listenAt(place);
          const run = async <Report>(...args: string[]): Promise<Report> => {
            const done = await command(...args);
            told.push(done);
            return JSON.parse(done.stdout) as Report;
          };
          const replayed = await run<ReplayReport>('replay', 'last', '--json');
          const rehearse = (program: string): Promise<RehearsalReport> =>
            run('rehearse', agent.id, '--with', program, 'last', '--json');
          const itself = await rehearse(programIn(agent, folder));
          const next = nextFolders.get(agent.id);
          if (next !== undefined)
            console.error(`${agent.id}: ${name}`, JSON.stringify(await rehearse(programIn(agent, next))));
          const contacts = await close();
          const { result, differences, departure, requests, duration_ms: ms } = replayed;
          console.error(
            `${agent.id}: ${name}: ${result}, ${requests.answered} of ${requests.recorded} in ${ms} ms, ${contacts} contacts`,
          );
          expect(contacts).toBe(0);
          const isExpected = departs[agent.id]?.[name] === undefined;
          if (isExpected) expect({ result, differences, departure }).toEqual({ result: 'same', differences: [] });
          else expect(result).toBe('departed');
          if (isExpected) expect(itself).toMatchObject({ changes: [], verdict_changes: 0, runs: [{ result: 'same' }] });
        },
      },
      signal,
    );
  });
}
