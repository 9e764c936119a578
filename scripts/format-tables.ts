import { z } from 'zod';
import { Line as AgentCodeLine } from '../src/dialects/agent-code/wire.ts';
import { Line as DevAgentLine } from '../src/dialects/dev-agent/wire.ts';
import { JsonResponse } from '../src/dialects/dexter/wire.ts';
import { known as busEvents } from '../src/dialects/opencode/wire.ts';
import { RunOutcome } from '../src/outcome/outcome.ts';
import { fieldTable, type Meanings, type Schema, shapesOf } from './field-table.ts';
import { agentCode, devAgent, dexter, opencode, outcome } from './format-meanings.ts';

const schemaOf = (schema: z.ZodType): Schema => z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input', reused: 'inline' }) as Schema;

/** The members of a union of lines, by their type. */
function linesOf(schema: z.ZodType): [type: string, line: Schema][] {
  const { anyOf, oneOf } = schemaOf(schema);
  return (anyOf ?? oneOf ?? []).map((line) => [String(line.properties?.['type']?.const), line]);
}

function events(lines: readonly (readonly [string, Schema])[], meanings: Meanings): string {
  return lines.map(([type, line]) => `### \`${type}\`\n\n${meanings[`# ${type}`] ?? ''}\n\n${fieldTable(line, meanings, type)}`).join('\n');
}

/** The eight that its document names; the others are read, never written. */
const agentCodeEvents = new Set('session_start text_delta thinking tool_call tool_result turn_complete error session_end'.split(' '));
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
  const kept = (part.oneOf ?? part.anyOf ?? []).filter(({ properties }) => documentedParts.has(String(properties?.['type']?.const)));
  return { ...schema, properties: { ...schema.properties, part: { anyOf: kept } } };
}

export function formatTables(): string {
  return `# Formats

Made from the schemas by \`npm run generate\`: every field of what the four formats of a run write, and of the outcome. "Required" names the kind that needs a field where
not all do. \`runwire schema NAME\` prints the same as JSON Schema, \`runwire validate\` checks a stream against it; unknown fields are allowed everywhere, and are kept.

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

Each line is \`{"type": …, "properties": {…}}\`; the tables show what is in \`properties\`. Times are milliseconds since 1970, and 0 where nobody told them.

${events(busLines(), opencode)}
## The events of \`--stream-json\`

ASCII (everything else as \`\\u\` escapes), and after the last event the report once more, indented over many lines. A program that reads line by line takes \`--to runwire\`.

Where the document of dev-agent contradicts itself, or its program, Runwire writes it like this, in every run:

- Every line has the whole envelope: \`type\`, \`timestamp\`, \`sequence\`, \`thread_id\`.
- \`turn.completed\` follows the items of its turn, as the table of the document has it; its sample shows it before them.
- Publishing is an item, with the kind and the name \`publish\`, and comes before \`thread.completed\`; there are no \`publish.*\` events.
- \`has_final_report\` is true on the turn whose words are the answer of the run, and on no other. A turn that ends with words is therefore written when it is known whether another follows.
- \`args\` are what is safe to show. Of dev-agent's own tools that is a list: \`execute_agent\` (agent, parent_branch_id, phase, model, project_name), \`parallel_explore\` (agents and
  num_branches too), \`branch_output\` and \`branch_diff\` (branch_id, full_output), \`read_artifact\` (branch_id, path), \`verify\` (branch_id, command), \`publish\` (branch_id, message,
  remote). Prompts are \`prompt_preview\`, or \`prompt_previews\` of the first 20, with \`prompt_truncated\` where something is missing. Other tools show all they were given. Texts end
  after 240 characters, and nothing stands under a name that sounds secret (\`token\`, \`password\`, \`env\`, \`authorization\`, \`apiKey\`, …), at any depth; what a text gives to such a name (\`TOKEN=x\`, \`--token x\`, \`"Authorization: x"\`) is \`[redacted]\`.
- \`error\` is written at once. It has an \`iteration\` where it happened in a turn, and an \`item_id\` where it is about a call; \`fatal: false\` says that the run went on.

The \`final_report\` has \`task\`, \`status\`, \`summary\`, \`is_finished\` and \`error\` as dev-agent has them, and of [the outcome](#the-outcome) \`message\`, \`lineage\`, \`publish\`, \`metrics\`,
\`usage_by_model\`, \`children\`, \`artifacts\`, \`tool_calls\` (without inputs and outputs), \`warnings\`, \`limits_hit\`, \`verdict\` and \`omitted\`; \`usage\` is what the run and all runs below it took together.
\`runwire outcome\` of the stream has the same totals, branches and verdict as the run itself. Of a report that dev-agent itself wrote, \`start_branch_id\`, \`latest_branch_id\`, \`publish_report\` and
\`pr_url\` become \`lineage\` and \`publish\`; fields that nobody knows are noted.

${events(linesOf(DevAgentLine), devAgent)}
## The outcome

What \`runwire outcome\` prints, the ledger keeps and the library answers; [Outcomes](outcome.md) says how it comes about. A number that is unknown is absent, never 0.

${fieldTable(schemaOf(RunOutcome), outcome, 'outcome')}`;
}
