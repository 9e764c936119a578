# bash completion for runwire
_runwire() {
  local paths='' line word="${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$paths" ]; then paths="$line"; else COMPREPLY+=("${line%%$'\t'*}"); fi
  done < <("${COMP_WORDS[0]/#\~/$HOME}" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case "$word" in =|:) word='' ;; esac
  case "$paths" in
    files) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word") ;;
    folders) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$word") ;;
  esac
  if [ "$paths" != none ]; then compopt -o filenames 2>/dev/null; fi
  case "${COMPREPLY[0]}" in */) compopt -o nospace 2>/dev/null ;; esac
}
complete -F _runwire runwire
