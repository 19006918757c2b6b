// SPDX-License-Identifier: Apache-2.0

/** Verbs with which programs destroy, whichever program it is. */
export const DESTROYING = new Set([
  'delete', 'destroy', 'drop', 'purge', 'wipe', 'erase', 'nuke', 'obliterate', 'terminate', 'truncate', 'teardown', 'decommission', 'deprovision', 'flushall', 'flushdb', 'shred', 'dropdb', 'unpublish', 'undeploy', 'forget', 'deleteall', 'dropall', 'purgeall', 'eraseall',
]);
/** Verbs that destroy as well, unless what they take away is a dependency or a part of a list. */
export const REMOVING = new Set(['remove', 'rm', 'del', 'uninstall', 'revoke', 'rmi', 'rmdir', 'dispose', 'scrub', 'evict', 'deregister', 'detach', 'disable', 'flush']);
/** Verbs that may lose something, which programs ask about before they do it. */
export const UNDOING = new Set(['revert', 'rollback', 'reset', 'gc', 'prune', 'stop', 'kill', 'overwrite', 'restore', 'downgrade', 'undo', 'cancel', 'abandon', 'drain', 'failover', 'format', 'reinstall']);
/** Flags that answer yes before anybody is asked. */
export const INSISTING = new Set(['-y', '--yes', '-f', '--force', '--auto-approve', '--assume-yes', '--no-confirm', '--noconfirm', '--confirm', '--skip-confirmation', '--yes-i-really-mean-it', '--all', '--no-prompt', '--quiet-yes', '-auto-approve', '--approve']);

/** Verbs that make something known for good. */
export const PUBLISHING = new Set(['publish', 'unpublish']);

/** Flags with which a program only shows what it would do, or what it is. */
export const SHOWING = new Set(['--dry-run', '--dryrun', '--help', '--version', '--check', '--plan', '--preview', '--what-if', '--whatif', '--noop', '--simulate', '--diff']);

/** To these, what is removed is a dependency, or a version of a tool, that is fetched again. */
export const PACKAGE_MANAGERS = new Set([
  'npm', 'pnpm', 'yarn', 'bun', 'pip', 'pip3', 'pipx', 'cargo', 'go', 'rustup', 'poetry', 'uv', 'pdm', 'rye', 'hatch', 'pipenv', 'conda', 'mamba', 'composer', 'gem', 'bundle', 'dotnet', 'nuget', 'flutter', 'dart', 'swift', 'mix', 'rebar3', 'opam',
  'cabal', 'stack', 'luarocks', 'cpan', 'cpanm', 'conan', 'vcpkg', 'pod', 'carthage', 'code', 'nvm', 'fnm', 'volta', 'asdf', 'mise', 'sdk', 'rbenv', 'pyenv', 'jenv', 'husky', 'pre-commit', 'lefthook', 'bower', 'deno', 'lerna', 'rush', 'turbo', 'nx', 'moon', 'apt', 'apt-get', 'brew', 'dnf', 'yum', 'apk', 'pacman', 'zypper', 'pixi', 'ng', 'expo', 'shadcn',
  'jest', 'vitest', 'pytest', 'mocha', 'ava', 'tap', 'rspec', 'playwright', 'cypress', 'phpunit', 'pest', 'ctest', 'nextest', 'gotestsum', 'tox', 'nox', 'unittest', 'doctest', 'nose2', 'behave', 'cucumber', 'eslint', 'prettier', 'biome', 'tsc', 'ruff', 'black', 'mypy', 'flake8',
  'gradle', 'gradlew', 'mvn', 'mvnw', 'sbt', 'vim', 'nvim', 'vi', 'nano', 'emacs', 'git-lfs', 'tig', 'lazygit', 'ssh-add',
]);

/** Programs that run the project's own scripts by name, and the words that stand before the name. */
export const SCRIPT_RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npm: ['run', 'run-script'], pnpm: ['run'], yarn: ['run'], bun: ['run'], make: [], gmake: [], just: [], task: [], rake: [], invoke: [], inv: [], gulp: [], grunt: [], nx: ['run'], composer: ['run', 'run-script'], poe: [], mage: [], ant: [], hatch: ['run'], pdm: ['run'],
};
