import { appendFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import type { ReplayReport } from '../../src/replay/report.ts';
import type { RealAgent, Place } from './agent.ts';
import { realAgents } from './agents/index.ts';
import { perform } from './perform.ts';
import { scenarios, type ScenarioName } from './scenarios.ts';

const {
  REAL_AGENTS = '[]',
  REAL_AGENTS_SCENARIOS = '',
  REAL_AGENTS_QUICK = '',
  REAL_AGENTS_REPLAY = '',
  REAL_AGENTS_REPORTS,
} = process.env;
const folders = new Map(JSON.parse(REAL_AGENTS) as [id: string, folder: string][]);
const wanted = REAL_AGENTS_SCENARIOS.split(',').filter((name) => name !== '');

/** What CI replays. */
const quick: ReadonlySet<string> = new Set(['multi-tool']);

/** A session that was resumed has gone on since, and whoever interrupted a run is not there any more. */
function canBeReplayed(agent: RealAgent, name: ScenarioName): boolean {
  const { acp, refused, resumeWith, interrupt } = scenarios[name];
  return (
    agent.notWired === undefined &&
    agent.cannot?.[name] === undefined &&
    [acp, refused, resumeWith, interrupt].every((each) => each === undefined)
  );
}

const isWanted = (name: ScenarioName): boolean =>
  wanted.length > 0 ? wanted.includes(name) : REAL_AGENTS_QUICK === '' || quick.has(name);

const cases =
  REAL_AGENTS_REPLAY === '' && REAL_AGENTS_QUICK === ''
    ? []
    : realAgents.flatMap((agent) => {
        const folder = folders.get(agent.id);
        if (folder === undefined) return [];
        const names = (Object.keys(scenarios) as ScenarioName[]).filter(
          (name) => isWanted(name) && canBeReplayed(agent, name),
        );
        return names.map((name) => ({ agent, folder, name }));
      });

/** Whoever still asks where the model was is counted. */
async function listenAt({ url }: Place): Promise<{ contacts: () => number; close: () => Promise<void> }> {
  let contacts = 0;
  const server = createServer((socket) => {
    contacts += 1;
    socket.destroy();
  });
  server.listen(Number(new URL(url).port), '127.0.0.1');
  await once(server, 'listening');
  return {
    contacts: () => contacts,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

for (const { agent, folder, name } of cases) {
  it.concurrent(`${agent.id}: ${name} again, from its recording`, async ({ signal, onTestFailed }) => {
    const reports: ReplayReport[] = [];
    let told = '';
    onTestFailed(() => console.error(`${agent.id}: ${name}`, JSON.stringify(reports), told));
    await perform(
      {
        agent,
        scenario: scenarios[name],
        folder,
        wire: 'record',
        async after(command, place) {
          const listener = await listenAt(place);
          const { stdout, stderr, status } = await command('replay', 'last', '--json');
          told = stderr;
          await listener.close();
          const contacts = listener.contacts();
          if (REAL_AGENTS_REPORTS !== undefined)
            appendFileSync(
              REAL_AGENTS_REPORTS,
              `${JSON.stringify({ agent: agent.id, name, status, contacts, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) })}\n`,
            );
          expect({ status, contacts, stderr }).toMatchObject({ contacts: 0 });
          reports.push(JSON.parse(stdout) as ReplayReport);
        },
      },
      signal,
    );
    expect(reports.map(({ result, differences, departure }) => ({ result, differences, departure }))).toEqual([
      { result: 'same', differences: [], departure: undefined },
    ]);
  });
}
