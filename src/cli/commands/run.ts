import { command } from '../command.ts';
import { runOptions } from '../run/options.ts';

export const run = command({
  name: 'run',
  summary: 'Run an agent on a prompt and tell what it really did',
  operands: '[PROMPT] [-- COMMAND…]',
  takesCommand: true,
  description: `The word "run" may be left out: runwire "fix the tests". The prompt is the argument, --prompt, or stdin.
A first word that is nearly a command of ours is not taken for a prompt; -p makes clear that it is one.
--agent starts another agent's own program, which must be installed. After -- comes any command that prints a dialect we
read; --prompt then goes to its stdin, which is empty otherwise. The whole process tree ends with the run.
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
    ['runwire --agent codex --timeout 20m --retries 2 "fix the tests"', 'Another agent, bounded, and started again when its model fails'],
    [
      'runwire run --to runwire -- opencode run --format json "fix the tests" | my-dashboard',
      'A command of your own, live for a dashboard',
    ],
    ['git diff | runwire --json --permission-mode read-only "review this" | jq -r .answer', 'One JSON response for a script'],
    ['runwire --stream-json --tape run.tape "add a changelog"', 'The events of dev-agent, and everything in a file'],
    ['runwire --model openai-compatible/qwen3 --base-url http://localhost:11434/v1 "hello"', 'Any server that speaks the OpenAI format'],
  ],
  async run(values, operands, context, program) {
    const { startRun } = await import('../run/start.ts');
    return startRun(values, operands, context, { command: program });
  },
  async refuse(failure, words, context) {
    const { refuseWords } = await import('../run/refuse.ts');
    return refuseWords(failure, words, context);
  },
});
