import { Failure } from '../../failure.ts';
import { type Command, command } from '../command.ts';
import { commands } from '../commands.ts';

export const completion = command({
  name: 'completion',
  summary: 'Print a completion script for bash, zsh or fish',
  operands: 'bash|zsh|fish',
  description: 'The script completes commands, flags and their values.',
  options: {},
  examples: [
    ['eval "$(runwire completion bash)"', 'In ~/.bashrc'],
    ['runwire completion zsh > "${fpath[1]}/_runwire"', 'For zsh'],
    ['runwire completion fish > ~/.config/fish/completions/runwire.fish', 'For fish'],
  ],
  async run(_values, operands, context) {
    const [shell] = operands;
    const script = shell === undefined ? undefined : scripts[shell];
    if (script === undefined)
      throw new Failure('input', `completion needs a shell: bash, zsh or fish${shell === undefined ? '' : `, not "${shell}"`}`);
    const all = await Promise.all(commands.map((entry) => entry.load()));
    await context.print(script(all));
    return 0;
  },
});

const scripts: Record<string, (all: readonly Command[]) => string> = { bash, zsh, fish };

const flagsOf = (each: Command): string[] => [...Object.keys(each.options).map((name) => `--${name}`), '--help'];

function choicesOf(all: readonly Command[]): Map<string, readonly string[]> {
  const choices = new Map<string, readonly string[]>();
  for (const each of all) {
    for (const [name, option] of Object.entries(each.options)) if (option.choices !== undefined) choices.set(name, option.choices);
  }
  return choices;
}

function bash(all: readonly Command[]): string {
  const values = [...choicesOf(all)].map(
    ([name, words]) => `    --${name}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$word")); return ;;`,
  );
  // Without a command it is a run.
  const defaultFlags = all.flatMap((each) => (each.name === 'run' ? flagsOf(each) : [])).join(' ');
  const flags = all.map((each) => `    ${each.name}) words="${flagsOf(each).join(' ')}" ;;`);
  return `# bash completion for runwire
_runwire() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words="${defaultFlags}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${all.map((each) => each.name).join(' ')} ${defaultFlags} --version" -- "$word")); return
  fi
  case "$previous" in
${values.join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${flags.join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _runwire runwire
`;
}

const zshQuote = (text: string): string => text.replace(/[[\]':]/g, (char) => (char === "'" ? "'\\''" : `\\${char}`));

function zsh(all: readonly Command[]): string {
  const names = all.map((each) => `    '${each.name}:${zshQuote(each.summary)}'`);
  const cases = all.map((each) => {
    const flags = Object.entries(each.options).map(([name, option]) => {
      const values =
        option.type === 'boolean'
          ? ''
          : `:${zshQuote(option.value ?? name)}:${option.choices === undefined ? '_files' : `(${option.choices.join(' ')})`}`;
      return `        '--${name}[${zshQuote(option.help)}]${values}'`;
    });
    return `      ${each.name})\n        _arguments \\\n${[...flags, "        '--help[Show the help]'", "        '*:file:_files'"].join(' \\\n')}\n        ;;`;
  });
  return `#compdef runwire
_runwire() {
  local -a names
  names=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  local chosen=$words[2]
  shift words
  (( CURRENT-- ))
  case $chosen in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _runwire ]; then _runwire "$@"; else compdef _runwire runwire; fi
`;
}

function fish(all: readonly Command[]): string {
  const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = [
    '# fish completion for runwire',
    "complete -c runwire -n __fish_use_subcommand -l help -d 'Show the help'",
    "complete -c runwire -n __fish_use_subcommand -l version -d 'Show the version'",
  ];
  for (const each of all) {
    lines.push(`complete -c runwire -n __fish_use_subcommand -a ${each.name} -d ${quote(each.summary)}`);
    for (const [name, option] of Object.entries(each.options)) {
      const value = option.type === 'boolean' ? '' : option.choices === undefined ? ' -r' : ` -x -a ${quote(option.choices.join(' '))}`;
      lines.push(`complete -c runwire -n '__fish_seen_subcommand_from ${each.name}' -l ${name}${value} -d ${quote(option.help)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
