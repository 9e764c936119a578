import { diffLines } from 'diff';
import type { Json, JsonObject } from '../json/json.ts';
import { isObject, list, object, string } from '../json/read.ts';
import { cutAfter } from '../redact/cut.ts';
import { leavesOf } from '../wire/replay/departure.ts';
import { saidIn } from '../wire/replay/conversation.ts';
import { toolResultsIn } from '../wire/replay/tool-results.ts';
import type { Change } from './report.ts';

/** One way in which a request of another version differs, before it is known how often. */
export type RequestChange = Omit<Change, 'count' | 'runs'>;

/** Two long texts with nothing in common take quadratic time. Bounded by work, not by a clock. */
const patience = { maxEditLength: 2500 };
const mostShown = 500;
const linesShown = 12;
const pathsShown = 5;

const conversation: ReadonlySet<string> = new Set(['messages', 'input', 'contents']);
const instructions: ReadonlySet<string> = new Set([
  'instructions',
  'system',
  'systemInstruction',
  'system_instruction',
]);

/** Instructions are long, and the same in every request. */
const seen = new Map<string, RequestChange[]>();
const mostSeen = 50;

/** How two requests differ that stand for the same; both are normalised. */
export function changesIn(recorded: Json, now: Json): RequestChange[] {
  const [before, after] = [object(recorded), object(now)];
  return [
    ...systemChanges(systemOf(before), systemOf(after)),
    ...toolChanges(before.tools, after.tools),
    ...parameterChanges(before, after),
    ...contextChanges(recorded, now),
    ...resultChanges(recorded, now),
  ];
}

/** Everything that instructs the model, as one text. */
function systemOf(body: JsonObject): string {
  const own = [...instructions].map((name) => textsIn(body[name]));
  const messages = [...list(body.messages), ...list(body.input)]
    .map(object)
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => textsIn(content));
  return [...own, ...messages].filter((text) => text !== '').join('\n');
}

function textsIn(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textsIn).join('\n');
  const { text, parts } = object(value ?? null);
  return string(text) ?? (parts === undefined ? '' : textsIn(parts));
}

function systemChanges(before: string, after: string): RequestChange[] {
  if (before === after) return [];
  const key = `${before.length} ${before}\0${after}`;
  const known = seen.get(key);
  if (known !== undefined) return known;
  const found = [systemChange(before, after)];
  if (seen.size < mostSeen) seen.set(key, found);
  return found;
}

function systemChange(before: string, after: string): RequestChange {
  const parts = diffLines(`${before}\n`, `${after}\n`, patience);
  const lines = (isWanted: (part: { added?: boolean; removed?: boolean }) => boolean | undefined): string[] =>
    (parts ?? []).filter((part) => isWanted(part)).flatMap(({ value }) => value.replace(/\n$/, '').split('\n'));
  const [added, removed] = [lines((part) => part.added), lines((part) => part.removed)];
  const head = (some: readonly string[]): string => cutAfter(some.slice(0, linesShown).join('\n'), mostShown);
  return {
    area: 'system',
    what: 'system prompt',
    change: before === '' ? 'added' : after === '' ? 'removed' : 'changed',
    ...(parts === undefined ? {} : { detail: `+${added.length} −${removed.length} lines` }),
    recorded: head(removed),
    now: head(added),
  };
}

/** The tools that are offered, by name. */
function toolsIn(tools: Json | undefined): Map<string, Json> {
  const named = new Map<string, Json>();
  for (const each of list(tools)) {
    const tool = object(each);
    const own = list(tool.functionDeclarations);
    for (const declared of own.length > 0 ? own : [each]) {
      const { name, type, function: called } = object(declared);
      const title = string(name) ?? string(object(called ?? null).name) ?? string(type) ?? Object.keys(tool).join(', ');
      // Two of one name are two tools.
      const key = named.has(title) ? `${title} ${named.size}` : title;
      named.set(key, declared);
    }
  }
  return named;
}

function toolChanges(before: Json | undefined, after: Json | undefined): RequestChange[] {
  const [recorded, now] = [toolsIn(before), toolsIn(after)];
  return [...new Set([...recorded.keys(), ...now.keys()])].flatMap((name): RequestChange[] => {
    const [one, other] = [recorded.get(name), now.get(name)];
    const what = `tool ${name}`;
    if (one === undefined) return [{ area: 'tool', what, change: 'added' }];
    if (other === undefined) return [{ area: 'tool', what, change: 'removed' }];
    const paths = differing(one, other);
    return paths.length === 0 ? [] : [{ area: 'tool', what, change: 'changed', detail: inWords(paths) }];
  });
}

function differing(one: Json, other: Json): string[] {
  const [before, after] = [leavesOf(one), leavesOf(other)];
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}

function inWords(paths: readonly string[]): string {
  const more = paths.length > pathsShown ? ` and ${paths.length - pathsShown} more` : '';
  return `${paths.slice(0, pathsShown).join(', ')}${more}`;
}

function parameterChanges(before: JsonObject, after: JsonObject): RequestChange[] {
  const settings = (body: JsonObject): Map<string, string> =>
    leavesOf(
      Object.fromEntries(
        Object.entries(body).filter(([name]) => !conversation.has(name) && !instructions.has(name) && name !== 'tools'),
      ),
    );
  const [recorded, now] = [settings(before), settings(after)];
  return [...new Set([...recorded.keys(), ...now.keys()])]
    .filter((path) => path !== '' && recorded.get(path) !== now.get(path))
    .map((path) => ({ area: 'parameter', what: path, ...sides(recorded.get(path), now.get(path)) }));
}

function sides(
  before: string | undefined,
  after: string | undefined,
): Pick<RequestChange, 'change' | 'recorded' | 'now'> {
  return {
    change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    ...(before === undefined ? {} : { recorded: cutAfter(before, mostShown) }),
    ...(after === undefined ? {} : { now: cutAfter(after, mostShown) }),
  };
}

/** What is said on behalf of the user: agents add to it what they know of the surroundings. */
function contextChanges(recorded: Json, now: Json): RequestChange[] {
  const texts = (body: Json): string[] => saidIn(body).flatMap(([who, text]) => (who === 'user' ? [text] : []));
  const [before, after] = [texts(recorded), texts(now)];
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index)
    .filter((index) => before[index] !== after[index])
    .slice(0, 1)
    .map((index) => ({ area: 'context', what: 'what is said for the user', ...around(before[index], after[index]) }));
}

/** Long texts from a little before the place where they part. */
function around(
  before: string | undefined,
  after: string | undefined,
): Pick<RequestChange, 'change' | 'recorded' | 'now'> {
  let same = 0;
  if (before !== undefined && after !== undefined)
    while (same < before.length && before[same] === after[same]) same += 1;
  const start = Math.max(0, same - 40);
  return sides(before?.slice(start), after?.slice(start));
}

function resultChanges(recorded: Json, now: Json): RequestChange[] {
  const [before, after] = [toolResultsIn(recorded), toolResultsIn(now)];
  return before.flatMap(({ path, call }, index): RequestChange[] => {
    const other = after[index];
    if (other === undefined) return [];
    const [one, two] = [at(recorded, path), at(now, other.path)].map(resultText);
    // What a command writes to its two outputs arrives in either order.
    if (one === two || sorted(one) === sorted(two)) return [];
    return [{ area: 'result', what: `result of ${cutAfter(call, 80)}`, ...around(one, two) }];
  });
}

const sorted = (text: string | undefined): string => (text ?? '').split('\n').toSorted().join('\n');

function at(value: Json, path: readonly string[]): Json {
  let inner: Json | undefined = value;
  for (const name of path)
    inner = Array.isArray(inner) ? inner[Number(name)] : isObject(inner) ? inner[name] : undefined;
  return inner ?? null;
}

/** An API may take a result as a text or as a list of texts. */
function resultText(value: Json): string {
  return typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.map(textsIn).join('\n')
      : JSON.stringify(value);
}
