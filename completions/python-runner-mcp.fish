# fish completion for python-runner-mcp(1)

set -l commands serve run config doctor
set -l before "not __fish_seen_subcommand_from $commands"

complete -c python-runner-mcp -f
complete -c python-runner-mcp -s h -l help -d 'Print a summary of commands, options and variables'
complete -c python-runner-mcp -s V -l version -d 'Print the version'

complete -c python-runner-mcp -n $before -a serve -d 'Speak MCP on standard input and output'
complete -c python-runner-mcp -n $before -a run -d 'Run one program the same way'
complete -c python-runner-mcp -n $before -a config -d 'Print the configuration to paste into a client'
complete -c python-runner-mcp -n $before -a doctor -d 'Try for real whether everything works on this machine'

complete -c python-runner-mcp -n '__fish_seen_subcommand_from run' -s c -x -d 'The program itself'
complete -c python-runner-mcp -n '__fish_seen_subcommand_from run' -l timeout -x -d 'Seconds it may take'
complete -c python-runner-mcp -n '__fish_seen_subcommand_from run' -l format -x -a 'text json' -d 'Form of the output'
complete -c python-runner-mcp -n '__fish_seen_subcommand_from run' -F
complete -c python-runner-mcp -n '__fish_seen_subcommand_from config' -a 'claude-desktop claude-code vscode cursor openclaw'
complete -c python-runner-mcp -n '__fish_seen_subcommand_from config' -l docker -d 'The server in a container'
complete -c python-runner-mcp -n '__fish_seen_subcommand_from config' -l write -d 'Put it into the file of the client'
complete -c python-runner-mcp -n '__fish_seen_subcommand_from config' -s y -l yes -d 'With --write: do not ask'
complete -c python-runner-mcp -n '__fish_seen_subcommand_from doctor' -l json -d 'One JSON object instead of lines'
