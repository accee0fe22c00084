# SPDX-License-Identifier: MIT
# Completion in fish for @COMMAND@: its options, as --help lists them, the commands of vpmu, and names
# of machines. What follows a --, is completed as ever.
function __ipmu_words
    set -l said (commandline -opc)
    set -l current (commandline -ct)
    set -l command $said[1]
    contains -- -- $said; and return
    if contains -- $said[-1] -m --machine --on
        if test (basename $command) = ipmu-allowlist
            ipmu-allowlist --list 2>/dev/null
        else
            vpmu machines 2>/dev/null | grep -oE '\b[a-z]+[0-9]?-[0-9]+[a-z][a-z0-9]*'
        end
        return
    end
    if test (basename $command) = vpmu
        if test (count $said) = 1
            $command --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
        else
            set command $command $said[2]
        end
    end
    if string match -q -- '-*' $current
        $command --help 2>/dev/null | grep -E '^ {1,8}-' |
            grep -oE -e '(^ *|, *)--?[A-Za-z][A-Za-z0-9-]*' | tr -d ' ,'
    end
end
complete -c @COMMAND@ -a '(__ipmu_words)'
