import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PostgresDatabase } from '../stores/support/postgres.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';
import { isSweep, some } from '../support/sweep.ts';
import { type Block, blocksOf, commandsOf, isCommands, pages, stepsOf, textOf } from './support/pages.ts';
import { closeWorld, openWorld, play, stageFor, strike, type World } from './support/stage.ts';

type Listed = readonly [page: string, beginning: string, why: string];

/** Not run here; everything else on a page is, as it stands there. */
const left: readonly Listed[] = [
  [
    'README.md',
    'git clone REPOSITORY',
    '`scripts/first-minutes.sh` installs from a clone, a tarball and a git address',
  ],
  ['README.md', 'npm i -g git+REPOSITORY', 'the same'],
  ['docs/telemetry.md', 'docker run', 'Jaeger itself'],
  ['docs/usage.md', 'runwire usage --watch', 'it ends with Ctrl-C'],
];

/** What ends with another code than 0, and is said to. */
const fails: readonly (readonly [page: string, beginning: string, status: number])[] = [
  ['docs/outcome.md', 'npx runwire outcome --exit-code --process-exit 0', 4],
  ['docs/check.md', 'runwire --expect', 9],
  ['docs/fleet.md', 'runwire runs cancel', 1],
  // The run has ended meanwhile.
  ['docs/waiting.md', 'runwire runs pause', 1],
  ['docs/waiting.md', 'runwire runs resume', 1],
  ['docs/waiting.md', 'runwire runs limit', 1],
];

/** Questions that have no answer in the runs of the stage; every other recipe prints something, or its field is misspelt. */
const silent: readonly string[] = [
  "runwire outcome run.jsonl | jq -r '.warnings[]",
  'runwire convert run.jsonl | jq -c \'select(.type == "item.completed" and .status',
  'runwire runs export | jq -r',
];
const answers = (page: string, command: string): boolean =>
  page === 'docs/recipes.md' && !silent.some((beginning) => command.startsWith(beginning));

/** What the reader of a page has done before. */
const before: Readonly<Record<string, string>> = {
  'docs/analyst.md': 'runwire run -q -- cat run.jsonl',
  'docs/dashboard.md': 'runwire run -q -- cat run.jsonl',
  'docs/recipes.md': 'runwire run -q -- cat run.jsonl; runwire run -q -- cat logs/run.jsonl',
  'docs/ledger.md':
    'runwire run -q -- cat run.jsonl; mkdir -p ~/.{claude/projects,codex/sessions,pi/agent/sessions,qwen/projects,local/share/opencode}',
};

/** Addresses, keys and ids of the pages, and what stands in for them. */
function standIns(world: World, postgres: string): readonly (readonly [shown: string | RegExp, real: string])[] {
  const last = '$(runwire runs --limit 1 --format json | jq -r .id)';
  return [
    ['postgres://runwire@db.example.com/runwire', postgres],
    ['postgres://team@db.example.com/runs', postgres],
    ['postgres://user@host/db', postgres],
    ['http://localhost:4318', world.sinkUrl],
    // GitHub itself is not asked: the comment is there.
    ['gh pr comment "$NUMBER" --edit-last --create-if-none --body-file', 'test -s'],
    ['https://cloud.langfuse.com', world.sinkUrl],
    ['RUNWIRE_REPORT=https://runs.example.com', `RUNWIRE_REPORT=${world.sinkUrl}`],
    [/=…/g, '=a-placeholder-of-a-key'],
    ['7kq2', last],
    // The one before it plays a recording, which ends where it ended.
    [
      'orchestrate --resume last',
      `orchestrate --resume $(runwire runs --text '"fix the failing tests"' --format json | jq -rs 'map(select(.parent_run_id == null))[0].id')`,
    ],
    ['apply ID', `apply ${last}`],
    ['--repeat 10', isSweep ? '--repeat 10' : '--repeat 2'],
  ];
}

/** Pages that take a while, many commands, many agents or a server: `npm run test:sweeps` has them. */
function isLong(page: string): boolean {
  const text = blocksOf(page)
    .filter(isCommands)
    .map((block) => block.text)
    .join('');
  return commandsOf(text).length > 12 || /postgres:|--attempts|orchestrate|--repeat|--isolate|--otel/.test(text);
}
const shown = pages().filter((page) => blocksOf(page).some(isCommands));
const short = shown.filter((page) => page !== 'README.md' && !isLong(page));
const tried = isSweep ? shown : ['README.md', ...some(short)];

let world: World;
let postgres: PostgresDatabase | undefined;
beforeAll(async () => {
  [world, postgres] = await Promise.all([openWorld(), isSweep ? sharedPostgres() : undefined]);
});
afterAll(async () => {
  await Promise.all([closeWorld(world), postgres?.remove()]);
});

function scriptOf(block: Block, schema: string): string {
  const commands = commandsOf(block.text)
    .filter((command) => !left.some(([page, beginning]) => page === block.page && command.startsWith(beginning)))
    .map((command) => {
      const status = fails.find(([page, beginning]) => page === block.page && command.startsWith(beginning))?.[2];
      const bare = command.replace(/\s+#[^'"]*$/, '');
      if (answers(block.page, command)) return `told=$(${bare}\n)\n[ -n "$told" ]`;
      return status === undefined ? bare : `${bare} || [ $? -eq ${status} ]`;
    });
  const script = standIns(world, postgres?.url(schema) ?? '').reduce(
    (text, [from, to]) => text.replaceAll(from, () => to),
    commands.join('\n'),
  );
  return `set -eo pipefail\ntrap 'echo "not as shown, $?: $BASH_COMMAND" >&2' ERR\n${script}\n`;
}

/**
 * A shown line as a pattern: figures, ids, times and the width of columns are another run's, `…` is anything.
 * Where a word was cut depends on the width of the columns before it, so its last piece is left open.
 */
function likeLine(line: string): RegExp {
  const pattern = line
    .trim()
    .replace(/^# /, '')
    .replaceAll(/[^\s/-]*-?…/g, '…')
    .split(/(…|\/home\/me\b|\b(?=\w*\d)[0-9a-z]{8,26}\b|\d[\d.,]*|\s+)/)
    .map((part, index) => {
      if (index % 2 === 0) return part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
      return part === '…' || part === '/home/me' ? '.*' : /^\s+$/.test(part) ? String.raw`\s+` : String.raw`[\w.,]+`;
    });
  return new RegExp(pattern.join(''));
}

function missingFrom(told: string, promised: string): string[] {
  return promised
    .split('\n')
    .filter((line) => line.trim() !== '' && !told.split('\n').some((each) => likeLine(line).test(each)));
}

/** It shows what only a terminal shows: the line of a call at its end. */
const isOnTerminal = (block: Block): boolean => /^[✓✗] /m.test(block.shown ?? '');

describe('the commands of the pages do what they say', () => {
  it.concurrent.each(tried)('%s', async (page) => {
    const stage = stageFor(world);
    try {
      await play(world, stage, before[page] ?? '');
      for (const block of blocksOf(page).filter(isCommands)) {
        const script = scriptOf(block, `docs_${shown.indexOf(page)}`);
        const { status, stdout, stderr } = await play(world, stage, script, { isTerminal: isOnTerminal(block) });
        expect({ at: `${page}:${block.line}`, status, stderr: status === 0 ? '' : stderr }).toEqual({
          at: `${page}:${block.line}`,
          status: 0,
          stderr: '',
        });
        const remarks = block.text.split('\n').filter((line) => line.startsWith('# runwire: '));
        const promised = [block.shown ?? '', ...remarks].join('\n');
        expect(
          missingFrom(`${stdout}${stderr}`, promised),
          `${page}:${block.line} told: ${stdout.slice(-2000)}${stderr.slice(-2000)}`,
        ).toEqual([]);
      }
    } finally {
      strike(stage);
    }
  });

  it.concurrent('examples/ci/gitlab.yml', async () => {
    const steps = stepsOf(textOf('examples/ci/gitlab.yml'));
    expect(commandsOf(steps)).toHaveLength(2);
    const stage = stageFor(world);
    const { status, stdout, stderr } = await play(world, stage, `set -eo pipefail\n${steps}`);
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Done/);
    for (const file of ['outcome.json', 'agent.xml']) expect(existsSync(join(stage, 'project', file))).toBe(true);
  });

  it('and what is left out, or fails, is on them', () => {
    const isThere = (page: string, beginning: string): boolean =>
      blocksOf(page).some(
        (block) => isCommands(block) && commandsOf(block.text).some((command) => command.startsWith(beginning)),
      );
    const recipes = silent.map((beginning): [string, string] => ['docs/recipes.md', beginning]);
    expect([...left, ...fails, ...recipes].filter(([page, beginning]) => !isThere(page, beginning))).toEqual([]);
  });
});
