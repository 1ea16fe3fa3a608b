# bash completion for python-runner-mcp(1)

_python_runner_mcp()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=serve
    # bash makes three words of --name=value
    [[ $word != '=' ]] || word=
    [[ $before != '=' ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
    ((COMP_CWORD == 1)) || command=${COMP_WORDS[1]}
    COMPREPLY=()

    case $command:$before in
    run:--format) mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$word") && return ;;
    run:-c | run:--timeout) return ;;
    esac
    case $command:$word in
    run:-*) mapfile -t COMPREPLY < <(compgen -W '-c --timeout --format --help -h --version -V' -- "$word") ;;
    doctor:-*) mapfile -t COMPREPLY < <(compgen -W '--json --help -h --version -V' -- "$word") ;;
    config:-*) mapfile -t COMPREPLY < <(compgen -W '--docker --write --yes -y --help -h --version -V' -- "$word") ;;
    *:-*) mapfile -t COMPREPLY < <(compgen -W '--help -h --version -V' -- "$word") ;;
    config:*) mapfile -t COMPREPLY < <(compgen -W 'claude-desktop claude-code vscode cursor openclaw' -- "$word") ;;
    run:*) compopt -o default 2>/dev/null ;;
    serve:*)
        ((COMP_CWORD > 1)) || mapfile -t COMPREPLY < <(compgen -W 'serve run config doctor' -- "$word")
        ;;
    esac
    return 0
}
complete -F _python_runner_mcp python-runner-mcp
