export type Shell = 'bash' | 'zsh' | 'fish';

/** Each script asks the command for candidates: first the kind of paths allowed there, then one word per line, with its meaning after a tab. */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for runwire
_runwire() {
  local paths='' line word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$paths" ]; then paths="$line"; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case "$word" in =|:) word='' ;; esac
  case "$paths" in
    files) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word") ;;
    folders) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$word") ;;
  esac
  if [ "$paths" != none ]; then compopt -o filenames 2>/dev/null; fi
  case "\${COMPREPLY[0]}" in */) compopt -o nospace 2>/dev/null ;; esac
}
complete -F _runwire runwire
`,
  zsh: `#compdef runwire
_runwire() {
  local -a lines values shown
  local line paths
  lines=("\${(@f)$(\${words[1]/#\\~/$HOME} completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  paths=$lines[1]
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  local -a ends
  [[ $values[1] == */ ]] && ends=(-S '')
  (( $#values )) && compadd -l "\${(@)ends}" -d shown -a values
  case $paths in
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [ "$funcstack[1]" = _runwire ]; then _runwire "$@"; else compdef _runwire runwire; fi
`,
  fish: `# fish completion for runwire
function __runwire_words
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    type -q $before[1]; or return
    set -l lines ($before[1] completion fish -- $before[2..-1] "$current" 2>/dev/null)
    for line in $lines[2..-1]
        echo $line
    end
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
    end
end
complete -c runwire -f -a '(__runwire_words)'
`,
};
