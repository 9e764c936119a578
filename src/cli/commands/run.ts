import { command } from '../command.ts';
import { runOptions } from '../run/options.ts';

export const run = command({
  name: 'run',
  summary: 'Run an agent on a prompt and report what it really did',
  operands: '[PROMPT] [-- COMMAND…]',
  takesCommand: true,
  description: `The word "run" is optional: runwire "fix the tests". The prompt is the argument, --prompt, or stdin.
A first word that looks like a mistyped command is not taken as a prompt; use -p to make clear that it is one.
--agent starts another agent's own program, which must be installed. After --, give any command that prints a dialect Runwire
can read; --prompt then goes to its stdin, which is otherwise empty. The whole process tree ends with the run.
The answer, or the one format you choose, goes to stdout; messages for people go to stderr. The exit code is the verdict.
In a script there is nobody to ask: what --permission-mode (default: edit) and the rules do not allow is denied.
Text is shown without anything that a terminal would act on; the JSON formats keep the exact words.`,
  options: runOptions,
  examples: [
    ['runwire --model anthropic/claude-sonnet-4-5 "explain this repository"', 'The answer on stdout'],
    [
      `runwire -p "fix the tests" --allow 'bash(npm test:*)' --max-turns 20 --output-format json | jq 'select(.type == "tool_call")'`,
      'Events for CI',
    ],
    [
      'runwire --agent codex --timeout 20m --retries 2 "fix the tests"',
      'Another agent, with a time limit, retried when its model fails',
    ],
    [
      'runwire run --to runwire -- opencode run --format json "fix the tests" | my-dashboard',
      'A command of your own, live for a dashboard',
    ],
    [
      'git diff | runwire --json --permission-mode read-only "review this" | jq -r .answer',
      'One JSON response for a script',
    ],
    [
      'runwire --stream-json --tape run.tape "add a changelog"',
      'dev-agent events on stdout, and every event in a file',
    ],
    [
      'runwire --model openai-compatible/qwen3 --base-url http://localhost:11434/v1 "hello"',
      'Any server that speaks the OpenAI format',
    ],
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
