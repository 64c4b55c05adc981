import { Argument, type Command } from 'commander'
import type { Execute } from '../app/process-context.ts'
import { exitCodes } from '../model/errors.ts'

export function defineCompletion(command: Command, execute: Execute): void {
  command
    .addArgument(new Argument('<shell>', 'the shell that completes').choices(Object.keys(scripts)))
    .action((shell: Shell) =>
      execute(async ({ stdout }) => {
        stdout.write(scripts[shell])
        return exitCodes.clean
      }),
    )
}

type Shell = keyof typeof scripts

/** What each shell reads once. They ask the program, and evaluate nothing of what it answers. */
const scripts = {
  bash: `# Completion of hookdrift for bash: source it, or put it where bash-completion finds it.
_hookdrift() {
  local line how= state=first
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$state" = first ]; then how=$line state=more; else COMPREPLY+=("$line"); fi
  done < <("$1" __complete bash -- "\${COMP_LINE:0:$COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  case $how in
    *part*) compopt -o nospace 2>/dev/null ;;
    *files*) compopt -o default 2>/dev/null ;;
    *directories*) compopt -o dirnames 2>/dev/null ;;
  esac
}
complete -F _hookdrift hookdrift
`,
  zsh: `#compdef hookdrift
# Completion of hookdrift for zsh: put it into a directory of $fpath as _hookdrift, or source it after compinit.
_hookdrift() {
  local line how
  local -a values shown more
  while IFS= read -r line; do
    if [[ -z $how ]]; then how=$line; continue; fi
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done < <(command hookdrift __complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  case $how in
    *files*) compset -P '*='; _files; return ;;
    *directories*) _files -/; return ;;
    *part*) more=(-S '') ;;
  esac
  (( $#values )) || return 1
  compadd -l "$more[@]" -d shown -a -- values
}
if [[ $funcstack[1] == _hookdrift ]]; then _hookdrift "$@"; else compdef _hookdrift hookdrift; fi
`,
  fish: `# Completion of hookdrift for fish: put it into ~/.config/fish/completions as hookdrift.fish, or source it.
function __hookdrift_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l lines (command hookdrift __complete fish -- $words (commandline -ct) 2>/dev/null)
    switch "$lines[1]"
        case '*files*' '*directories*'
            __fish_complete_path (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    end
    set -e lines[1]
    printf '%s\\n' $lines
end
complete -c hookdrift -f -a '(__hookdrift_complete)'
`,
} as const
