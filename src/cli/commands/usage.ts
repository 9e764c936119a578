import { priceLoader } from '../../builtin/config/price.ts';
import { Failure } from '../../failure.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { plain } from '../../terminal/plain.ts';
import { durationOf } from '../../time/duration.ts';
import { periodStart, type Zone, zoneNamed } from '../../time/zone.ts';
import type { UsageDocument } from '../../usage/document.ts';
import { groupings } from '../../usage/groupings.ts';
import { nearest } from '../../words/nearest.ts';
import { command, type Values } from '../command.ts';
import type { Context } from '../context.ts';
import { type Format, readFormat } from '../runs/format.ts';
import { screenOf } from '../screen.ts';

const reports = [...groupings, 'blocks'] as const;

const options = {
  since: { type: 'string', value: 'DAY', help: 'From this day on: 2026-11-15, today, or 7d for the last seven days' },
  until: { type: 'string', value: 'DAY', help: 'Up to and with this day' },
  'time-zone': { type: 'string', value: 'ZONE', help: 'Where days begin: Europe/Zurich, UTC (default: local)' },
  agent: { type: 'string', multiple: true, value: 'NAME', help: 'Only this agent; may be repeated' },
  project: { type: 'string', multiple: true, value: 'TEXT', help: 'Only folders whose path has this in it' },
  model: { type: 'string', multiple: true, value: 'TEXT', help: 'Only models whose name has this in it' },
  'own-only': { type: 'boolean', help: 'Show what sub-agents used as rows of their own' },
  watch: { type: 'boolean', help: 'Show it again whenever something was used, until Ctrl-C' },
  statusline: {
    type: 'boolean',
    help: 'Print one line for a status bar: this session, as Claude Code names it on stdin, today, and open blocks',
  },
  format: { type: 'string', value: 'table|json|csv', choices: ['table', 'json', 'csv'], help: 'Output format' },
  json: { type: 'boolean', help: 'Same as --format json: one document' },
  csv: { type: 'boolean', help: 'Same as --format csv: comma-separated values with a header' },
  ledger: { type: 'string', value: 'FILE', help: 'The ledger, beside which the index is kept' },
} as const;

export const usage = command({
  name: 'usage',
  summary: 'Show what every agent on this machine used and cost',
  operands: '[REPORT]',
  description: `Reports: ${reports.join(', ')} (five hours, as subscriptions count); default: daily. Reads the sessions that agents keep on this machine, wherever their variables say; nothing has to be imported. Each model call
is priced by itself, at the list price of its day, and belongs to the day it was made; a call that stands in several files counts once.
What was counted is kept in usage.index beside the ledger, so that only what is new is read the next time. What has no price, or cannot be
read, is said in words. Prints a table with bars on a terminal, else one JSON document (see "runwire schema usage").`,
  options,
  examples: [
    ['runwire usage', 'Every day, all agents'],
    ['runwire usage weekly --agent claude --since 30d', 'The last weeks of one agent'],
    ['runwire usage session --project acme/web', 'What each session in a folder cost'],
    ["runwire usage model --json | jq '.rows[] | [.group, .cost]'", 'For a program of your own'],
  ],
  async run(values, operands, context) {
    const by = readReport(operands);
    const format = readFormat(values, context);
    const choice = readChoice(values, context);
    const { collect, usageDocument } = await import('../../usage/usage.ts');
    const place = ledgerPlace(values.ledger, context.env, context.cwd);
    const prices = priceLoader(context);
    const gatherAll = () =>
      collect({
        env: context.env,
        ledger: place.kind === 'sqlite' ? place.path : undefined,
        agents: values.agent,
        warn: (text) => context.warn(`runwire: warning: ${text}`),
      });
    if (values.statusline === true) {
      const { aboutSession, keepWindows, statusLine } = await import('../usage/status-line.ts');
      const [all, price, about] = await Promise.all([gatherAll(), prices(), aboutSession(context)]);
      await keepWindows(about, context);
      await context.show(statusLine(all, about, { zone: choice.zone, price, now: context.now() }));
      context.leaveSoon();
      return 0;
    }
    const look = async (): Promise<UsageDocument> => {
      const [all, price] = await Promise.all([gatherAll(), prices()]);
      return usageDocument(all, by, choice, { price, now: context.now() });
    };
    if (values.watch === true) return watch(look, format, context);
    await tell(await look(), format, context);
    return 0;
  },
});

function readReport(operands: readonly string[]): (typeof reports)[number] {
  const [word = 'daily', more] = operands;
  const by = reports.find((each) => each === word);
  const wrong = more ?? (by === undefined ? word : undefined);
  if (by !== undefined && wrong === undefined) return by;
  throw new Failure(
    'input',
    `unknown report "${wrong}"${nearest(wrong ?? '', reports)}; expected ${reports.join(', ')}`,
  );
}

function readChoice(values: Values<typeof options>, context: Context) {
  const { project, model } = values;
  const zone = zoneNamed(values['time-zone'] ?? 'local');
  const has = (texts: readonly string[] | undefined, name = ''): boolean =>
    texts === undefined || texts.some((text) => name.toLowerCase().includes(text.toLowerCase()));
  return {
    zone,
    since: readDay('--since', values.since, zone, context),
    until: readDay('--until', values.until, zone, context),
    isWanted: (call: { project: string | undefined; model: string | undefined }) =>
      has(project, call.project) && has(model, call.model),
    ownOnly: values['own-only'] === true,
  };
}

const dayMs = 86_400_000;

/** The beginning of a day, in local time. */
function readDay(flag: string, text: string | undefined, zone: Zone, { now }: Context): number | undefined {
  if (text === undefined) return undefined;
  const today = periodStart(zone.localAt(now()), 'day');
  if (text === 'today') return today;
  if (text === 'yesterday') return today - dayMs;
  const span = durationOf(text);
  // The last seven days are six and today.
  if (span !== undefined) return today - Math.max(0, Math.ceil(span / dayMs) - 1) * dayMs;
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(text) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(at)) throw new Failure('input', `${flag} ${text}: expected a day such as 2026-11-15, today, or 7d`);
  return at;
}

async function tell(document: UsageDocument, format: Format, context: Context): Promise<void> {
  if (format === 'json') await context.print(`${JSON.stringify(document)}\n`);
  else if (format === 'csv') await context.print((await import('../usage/csv.ts')).usageCsv(document));
  else if (document.rows.length === 0 && document.incomplete.length === 0)
    context.warn('runwire: nothing was used, or no agent keeps it where it could be found');
  else await context.show((await import('../usage/table.ts')).usageTable(document, screenOf(context), context.now()));
  if (format === 'table') return;
  for (const { what, path = '', count } of document.incomplete)
    context.warn(`runwire: warning: ${plain(path)}: ${count === undefined ? '' : `${count} `}${plain(what)}`);
}

const lookMs = 2000;
const toTop = '\u001b[H\u001b[2J';

/** Until Ctrl-C. */
async function watch(look: () => Promise<UsageDocument>, format: Format, context: Context): Promise<number> {
  let signal: 'SIGINT' | 'SIGTERM' | undefined;
  let wake = (): void => {};
  const stopped = new Promise<void>((resolve) => (wake = resolve));
  const stopListening = context.onSignal((name) => {
    signal = name;
    wake();
  });
  let shown = '';
  while (signal === undefined) {
    const document = await look();
    const text = JSON.stringify(document);
    if (text !== shown) {
      if (context.stdoutIsTerminal) await context.show(toTop);
      await tell(document, format, context);
      shown = text;
    }
    await Promise.race([context.sleep(lookMs), stopped]);
  }
  stopListening();
  context.leaveSoon();
  return signal === 'SIGINT' ? 130 : 143;
}
