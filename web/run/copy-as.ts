import { compactDuration, costInWords } from '../../src/terminal/figures.ts';
import { shellQuote } from '../../src/terminal/shell-quote.ts';
import type { RunRecord } from '../api.ts';
import { endInWords, shortId } from '../parts/words.ts';

/** The command that runs it again: the same agent, model and prompt, in the same folder. */
export function commandOf({ agent, model, cwd, prompt }: RunRecord): string {
  const command = shellQuote([
    'runwire',
    'run',
    ...(agent === undefined ? [] : ['--agent', agent]),
    ...(model === undefined ? [] : ['--model', model]),
    // A prompt that looks like a flag is still a prompt.
    prompt.startsWith('-') ? `--prompt=${prompt}` : prompt,
  ]);
  return cwd === undefined ? command : `cd ${shellQuote([cwd])} && ${command}`;
}

const filesTold = 100;

export function asMarkdown(run: RunRecord): string {
  const { outcome } = run;
  const facts = [
    ['Run', `\`${run.id}\``],
    ['Agent', [run.agent, run.agent_version].filter(Boolean).join(' ')],
    ['Model', run.model],
    ['Took', run.duration_ms === undefined ? undefined : compactDuration(run.duration_ms)],
    ['Cost', costInWords(run) ?? 'unknown'],
    ['Tool calls', run.tool_calls === undefined ? undefined : String(run.tool_calls)],
  ];
  const evidence = (outcome?.verdict.evidence ?? []).map(
    ({ signal, detail }) => `- **${signal}**: ${detail.replaceAll('\n', ' ')}`,
  );
  const files = (outcome?.artifacts ?? [])
    .slice(0, filesTold)
    .map(({ path, operation }) => `- ${operation} \`${path.replaceAll('`', '')}\``);
  return [
    `## ${endInWords(run)}${run.exit_code === undefined ? '' : ` (exit ${run.exit_code})`}: run ${shortId(run.id)}`,
    facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`- ${name}: ${value}`])).join('\n'),
    evidence.length === 0 ? '' : `### Why\n\n${evidence.join('\n')}`,
    `### Prompt\n\n${fenced(run.prompt)}`,
    outcome === undefined || outcome.message === '' ? '' : `### Answer\n\n${outcome.message}`,
    files.length === 0 ? '' : `### Files\n\n${files.join('\n')}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** The text in a fence that is longer than any inside it. */
function fenced(text: string): string {
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  return `${fence}\n${text}\n${fence}`;
}
