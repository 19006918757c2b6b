// SPDX-License-Identifier: Apache-2.0
//
// The script of each shell asks `writ __complete SHELL -- WORDS…` for the candidates of the last word, one a line.
// Where there are none, the shell completes the names of files.

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const BASH = `# completion of writ for bash: source <(writ completion bash)
_writ_complete() {
  local candidate
  COMPREPLY=()
  while IFS= read -r candidate; do
    [[ -n $candidate ]] && COMPREPLY+=("$candidate")
  done < <(writ __complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _writ_complete writ
`;

const ZSH = `#compdef writ
# completion of writ for zsh: source <(writ completion zsh), after compinit
_writ_complete() {
  local -a candidates
  candidates=("\${(@f)$(writ __complete zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then
    _describe -t writ writ candidates
  else
    _files
  fi
}
compdef _writ_complete writ
`;

const FISH = `# completion of writ for fish: writ completion fish > ~/.config/fish/completions/writ.fish
function __writ_complete
    set -l words (commandline -opc)
    set -l candidates (writ __complete fish -- $words[2..-1] (commandline -ct) 2>/dev/null)
    if test (count $candidates) -gt 0
        printf '%s\\n' $candidates
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c writ -f -a '(__writ_complete)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
