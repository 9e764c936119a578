import { command } from '../command.ts';
import { runOptions } from '../run/flags.ts';

export const run = command({
  name: 'run',
  summary: 'Run an agent on a prompt and tell what it really did',
  operands: '[PROMPT]',
  description: `The word "run" may be left out: runwire "fix the tests". The prompt is the argument, --prompt, or stdin.
stdout gets the answer, or the one format you choose; people read stderr. The exit code is the verdict.
Nobody is asked in a script: what --permission-mode (default: edit) and the rules do not allow is denied.
Text is shown without anything a terminal would obey; the JSON formats hold the very words.`,
  options: runOptions,
  examples: [
    ['runwire --model anthropic/claude-sonnet-4-5 "explain this repository"', 'The answer on stdout'],
    [
      `runwire -p "fix the tests" --allow 'bash(npm test:*)' --max-turns 20 --output-format json | jq 'select(.type == "tool_call")'`,
      'Events for CI',
    ],
    ['git diff | runwire --json --permission-mode read-only "review this" | jq -r .answer', 'One JSON response for a script'],
    ['runwire --stream-json --tape run.tape "add a changelog"', 'Live for a dashboard, and everything in a file'],
    ['runwire --model openai-compatible/qwen3 --base-url http://localhost:11434/v1 "hello"', 'Any server that speaks the OpenAI format'],
  ],
  async run(values, operands, context) {
    const { startRun } = await import('../run/start.ts');
    return startRun(values, operands, context);
  },
});
