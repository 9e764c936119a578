import { z } from 'zod';
import { Line as AgentCodeLine } from '../src/dialects/agent-code/wire.ts';
import { Line as DevAgentLine } from '../src/dialects/dev-agent/wire.ts';
import { allowedArgs } from '../src/dialects/dev-agent/words.ts';
import { JsonResponse } from '../src/dialects/dexter/wire.ts';
import { known as busEvents } from '../src/dialects/opencode/wire.ts';
import { RunOutcome } from '../src/outcome/outcome.ts';
import { fieldTable, type Meanings, type Schema, shapesOf } from './field-table.ts';
import { agentCode, devAgent, dexter, opencode, outcome } from './format-meanings.ts';

const schemaOf = (schema: z.ZodType): Schema =>
  z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input', reused: 'inline' }) as Schema;

const shownArgs = Object.entries(allowedArgs)
  .map(([tool, names]) => `\`${tool}\` (${names.join(', ')})`)
  .join(', ');

/** The members of a union of lines, by their type. */
function linesOf(schema: z.ZodType): [type: string, line: Schema][] {
  const { anyOf, oneOf } = schemaOf(schema);
  return (anyOf ?? oneOf ?? []).map((line) => [String(line.properties?.['type']?.const), line]);
}

function events(lines: readonly (readonly [string, Schema])[], meanings: Meanings): string {
  return lines
    .map(([type, line]) => `### \`${type}\`\n\n${meanings[`# ${type}`] ?? ''}\n\n${fieldTable(line, meanings, type)}`)
    .join('\n');
}

/** The eight events that its document names; the others are read, never written. */
const agentCodeEvents = new Set(
  'session_start text_delta thinking tool_call tool_result turn_complete error session_end'.split(' '),
);
/** Parts and events that the document of the bus does not name are OpenCode's own. */
const documentedParts = new Set(['text', 'reasoning', 'tool', 'file']);
const undocumented = new Set(['session.updated', 'message.part.delta', 'file.watcher.updated', 'permission.asked']);

function busLines(): [string, Schema][] {
  return Object.entries(busEvents)
    .filter(([type]) => !undocumented.has(type))
    .map(([type, properties]) => [type, documented(shapesOf(schemaOf(properties))[0] ?? {})]);
}

function documented(schema: Schema): Schema {
  const part = schema.properties?.['part'];
  if (part === undefined) return schema;
  const kept = (part.oneOf ?? part.anyOf ?? []).filter(({ properties }) =>
    documentedParts.has(String(properties?.['type']?.const)),
  );
  return { ...schema, properties: { ...schema.properties, part: { anyOf: kept } } };
}

export function formatTables(): string {
  return `# Formats

Made from the schemas by \`npm run generate\`: every field that the four output formats of a run write, and every field of the outcome. Where only some kinds of an object need a field, "required" names
them. \`runwire schema NAME\` prints the same as JSON Schema, \`runwire validate\` checks a stream against it; unknown fields are allowed everywhere, and are kept.

| flag | format | one line is |
| --- | --- | --- |
| \`--json\` | [Dexter's response](#the-response-of---json) | the whole run |
| \`--output-format json\` | [agent-code's events](#the-events-of---output-format-json) | an event |
| \`--format json\` | [OpenCode's bus events](#the-events-of---format-json) | an event |
| \`--stream-json\` | [dev-agent's events](#the-events-of---stream-json) | an event, until the report |
| \`--to runwire\` | [records](event-model.md) | an event |
| \`runwire outcome\` | [the outcome](#the-outcome) | the whole run |

## The response of \`--json\`

One object at the end; exit code 0 or 1. See [running](run.md#what-stdout-gets) for the scratchpad.

${fieldTable(schemaOf(JsonResponse), dexter, 'response')}
## The events of \`--output-format json\`

${events(
  linesOf(AgentCodeLine).filter(([type]) => agentCodeEvents.has(type)),
  agentCode,
)}
## The events of \`--format json\`

Each line is \`{"type": …, "properties": {…}}\`; the tables show what is in \`properties\`. Times are milliseconds since 1970, and 0 where they are unknown.

${events(busLines(), opencode)}
## The events of \`--stream-json\`

The output is ASCII (everything else is written as \`\\u\` escapes). After the last event comes the report once more, indented over many lines; a program that reads line by line should use \`--to runwire\`.

Where dev-agent's document contradicts itself, or the program, Runwire always writes the following:

- Every line has the whole envelope: \`type\`, \`timestamp\`, \`sequence\`, \`thread_id\`.
- \`turn.completed\` follows the items of its turn, as in the table of the document; the document's sample shows it before them.
- Publishing is an item, with the kind and the name \`publish\`, and comes before \`thread.completed\`; there are no \`publish.*\` events.
- \`has_final_report\` is true on the turn whose text is the answer of the run, and on no other. A turn that ends with text is therefore written only when it is known whether another follows.
- \`args\` has only what is safe to show. For dev-agent's own tools that is a list of fields: ${shownArgs}. Prompts are shown as \`prompt_preview\`, or as \`prompt_previews\` of the first 20, with \`prompt_truncated\` where something is missing. Other tools show all their arguments. Texts end
  after 240 characters, and nothing is shown under a name that sounds secret (\`token\`, \`password\`, \`env\`, \`authorization\`, \`apiKey\`, …), at any depth; a value that a text gives to such a name (\`TOKEN=x\`, \`--token x\`, \`"Authorization: x"\`) is \`[redacted]\`.
- \`error\` is written at once. It has an \`iteration\` if it happened in a turn, and an \`item_id\` if it is about a call; \`fatal: false\` says that the run went on.

The \`final_report\` has \`task\`, \`status\`, \`summary\`, \`is_finished\` and \`error\` as dev-agent has them, and from [the outcome](#the-outcome) \`message\`, \`lineage\`, \`publish\`, \`metrics\`,
\`usage_by_model\`, \`children\`, \`artifacts\`, \`tool_calls\` (without inputs and outputs), \`warnings\`, \`limits_hit\`, \`verdict\` and \`omitted\`; \`usage\` is what the run and all runs below it used together.
\`runwire outcome\` of the stream has the same totals, branches and verdict as the run itself. From a report that dev-agent itself wrote, \`start_branch_id\`, \`latest_branch_id\`, \`publish_report\` and
\`pr_url\` become \`lineage\` and \`publish\`; unknown fields are noted.

${events(linesOf(DevAgentLine), devAgent)}
## The outcome

This is what \`runwire outcome\` prints, the ledger keeps and the library returns; [Outcomes](outcome.md) says how the verdict is reached. A number that is unknown is absent, never 0.

${fieldTable(schemaOf(RunOutcome), outcome, 'outcome')}`;
}
