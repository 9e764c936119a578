#compdef runwire
_runwire() {
  local -a lines values shown
  local line paths
  lines=("${(@f)$(${words[1]/#\~/$HOME} completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  paths=$lines[1]
  for line in "${(@)lines[2,-1]}"; do
    values+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done
  local -a ends
  [[ $values[1] == */ ]] && ends=(-S '')
  (( $#values )) && compadd -l "${(@)ends}" -d shown -a values
  case $paths in
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [ "$funcstack[1]" = _runwire ]; then _runwire "$@"; else compdef _runwire runwire; fi
