# fish completion for runwire
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
