import { Failure } from '../../failure.ts';
import { type Command, command } from '../command.ts';
import { loadCommands } from '../commands.ts';

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
    await context.print(script(await loadCommands()));
    return 0;
  },
});

const scripts: Record<string, (all: readonly Command[]) => string> = { bash, zsh, fish };

const flagsOf = (each: Command): string[] => [...Object.keys(each.options).map((name) => `--${name}`), '--help'];
const namesUnder = (each: Command): string[] => (each.subcommands ?? []).map(({ name }) => name);
const isTop = (each: Command): boolean => !each.name.includes(' ');

/** A flag of several commands may stand for any of their words. */
function choicesOf(all: readonly Command[]): Map<string, Set<string>> {
  const choices = new Map<string, Set<string>>();
  for (const each of all) {
    for (const [name, option] of Object.entries(each.options)) {
      if (option.choices !== undefined) choices.set(name, new Set([...(choices.get(name) ?? []), ...option.choices]));
    }
  }
  return choices;
}

function bash(all: readonly Command[]): string {
  const values = [...choicesOf(all)].map(
    ([name, words]) => `    --${name}) COMPREPLY=($(compgen -W "${[...words].join(' ')}" -- "$word")); return ;;`,
  );
  // Without a command it is a run.
  const defaultFlags = all.flatMap((each) => (each.name === 'run' ? flagsOf(each) : [])).join(' ');
  const groups = all.filter((each) => namesUnder(each).length > 0);
  const under = groups.map(
    (each) =>
      `    if [ "\${COMP_WORDS[1]}" = ${each.name} ]; then\n      COMPREPLY=($(compgen -W "${[...namesUnder(each), ...flagsOf(each)].join(' ')}" -- "$word")); return\n    fi\n`,
  );
  // The longer name first: the shorter one stands for everything else that follows it.
  const flags = [...all.filter((each) => !isTop(each)), ...all.filter(isTop)].map(
    (each) => `    "${each.name}"${isTop(each) ? '\\ *' : ''}) words="${flagsOf(each).join(' ')}" ;;`,
  );
  return `# bash completion for runwire
_runwire() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words="${defaultFlags}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${all
      .filter(isTop)
      .map((each) => each.name)
      .join(' ')} ${defaultFlags} --version" -- "$word")); return
  fi
  if [ "$COMP_CWORD" -eq 2 ]; then
${under.join('')}    :
  fi
  case "$previous" in
${values.join('\n')}
  esac
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
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

const zshNames = (each: Command): string[] => (each.subcommands ?? []).map(({ name, summary }) => `'${name}:${zshQuote(summary)}'`);

function zshCase(each: Command): string {
  const flags = Object.entries(each.options).map(([name, option]) => {
    const values =
      option.type === 'boolean'
        ? ''
        : `:${zshQuote(option.value ?? name)}:${option.choices === undefined ? '_files' : `(${option.choices.join(' ')})`}`;
    return `        '--${name}[${zshQuote(option.help)}]${values}'`;
  });
  const under = zshNames(each);
  const names =
    under.length === 0
      ? ''
      : `        names=(\n          ${under.join('\n          ')}\n        )\n        (( CURRENT == 2 )) && _describe command names\n`;
  const name = isTop(each) ? each.name : `'${each.name}'`;
  return `    ${name})\n${names}        _arguments \\\n${[...flags, "        '--help[Show the help]'", "        '*:file:_files'"].join(' \\\n')}\n        ;;`;
}

function zsh(all: readonly Command[]): string {
  const top = all.filter(isTop).map((each) => `    '${each.name}:${zshQuote(each.summary)}'`);
  const groups = all.filter((each) => each.subcommands !== undefined);
  const descend = groups.map(
    (each) => `  if [[ $chosen == ${each.name} && CURRENT -gt 2 && " ${namesUnder(each).join(' ')} " == *" $words[2] "* ]]; then
    chosen="$chosen $words[2]"
    shift words
    (( CURRENT-- ))
  fi
`,
  );
  return `#compdef runwire
_runwire() {
  local -a names
  names=(
${top.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  local chosen=$words[2]
  shift words
  (( CURRENT-- ))
${descend.join('')}  case $chosen in
${all.map(zshCase).join('\n')}
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
    const [first = '', second] = each.name.split(' ');
    const after = `__fish_seen_subcommand_from ${first}`;
    const others = namesUnder(each).join(' ');
    const place =
      second === undefined
        ? `${after}${others === '' ? '' : `; and not __fish_seen_subcommand_from ${others}`}`
        : `${after}; and __fish_seen_subcommand_from ${second}`;
    if (second === undefined) lines.push(`complete -c runwire -n __fish_use_subcommand -a ${first} -d ${quote(each.summary)}`);
    for (const { name, summary } of each.subcommands ?? []) lines.push(`complete -c runwire -n '${place}' -a ${name} -d ${quote(summary)}`);
    for (const [name, option] of Object.entries(each.options)) {
      const value = option.type === 'boolean' ? '' : option.choices === undefined ? ' -r' : ` -x -a ${quote(option.choices.join(' '))}`;
      lines.push(`complete -c runwire -n '${place}' -l ${name}${value} -d ${quote(option.help)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
