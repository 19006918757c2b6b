// SPDX-License-Identifier: Apache-2.0

/** Programs whose output is meant to be evaluated, by their first words. */
const MADE_FOR_EVAL = [
  'ssh-agent',
  'direnv hook',
  'direnv export',
  'pyenv init',
  'rbenv init',
  'nodenv init',
  'goenv init',
  'jenv init',
  'starship init',
  'zoxide init',
  'fnm env',
  'mise activate',
  'rtx activate',
  'brew shellenv',
  '/opt/homebrew/bin/brew shellenv',
  'opam env',
  'dircolors',
  'minikube docker-env',
  'docker-machine env',
  'thefuck --alias',
  'luarocks path',
  'register-python-argcomplete',
  'keychain',
  'gpg-agent',
  'conda shell.bash hook',
  'atuin init',
  'tmuxifier init',
  'lesspipe',
  'resize',
];

/** Answers whether the text is a substitution of such a program. */
export const isMadeForEval = (text: string): boolean => {
  const inner = /^"?(?:\$\(|`|<\()\s*([\s\S]*?)\s*[)`]"?$/.exec(text)?.[1];
  return (
    inner !== undefined &&
    !/[;&|<>$`\n]/.test(inner) &&
    (MADE_FOR_EVAL.some((start) => `${inner} `.startsWith(`${start} `)) ||
      /^\S+ completion (bash|zsh|fish)$/.test(inner))
  );
};
