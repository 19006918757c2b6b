// SPDX-License-Identifier: Apache-2.0
import type { EnvironmentRules, WordList, WriteBlocked } from '../schema.ts';

export const WORDS: readonly WordList[] = [
  { name: 'npm-scripts', summary: 'scripts of a project that check or build', words: ['build', 'check', 'clean', 'coverage', 'format', 'format:check', 'lint', 'lint:fix', 'test', 'test:unit', 'type-check', 'typecheck'] },
  { name: 'commit-types', summary: 'how a message of a commit may begin', words: ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'style', 'test'] },
  { name: 'branch-prefixes', summary: 'how the name of a branch should begin', words: ['bugfix', 'chore', 'docs', 'feature', 'hotfix', 'test'] },
  { name: 'configurations', summary: 'how a project is built', words: ['Debug', 'Release'] },
];

/** Files that make something run when somebody builds, installs, opens or starts a project, and what runs by itself. */
export const WRITE_BLOCKED: WriteBlocked = {
  names: [
    'Makefile', 'GNUmakefile', 'CMakeLists.txt', 'Dockerfile', 'Containerfile', 'docker-compose.yml', 'docker-compose.yaml', 'compose.yml', 'compose.yaml', 'Jenkinsfile', 'Vagrantfile', 'Rakefile', 'Gemfile',
    'Gruntfile', 'justfile', 'Taskfile.yml', 'Procfile', 'BUILD', 'BUILD.bazel', 'WORKSPACE', 'meson.build', 'configure', 'build.gradle', 'settings.gradle', 'pom.xml', 'setup.cfg', 'pyproject.toml', 'Pipfile', 'tox.ini',
    'package.json', 'package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'Cargo.toml', 'build.rs', 'go.mod', 'composer.json', 'Directory.Build.props', 'Directory.Build.targets', 'nuget.config', 'global.json', 'packages.config',
    '.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', '.gitconfig', '.gitmodules', '.gitattributes', '.gitlab-ci.yml', '.travis.yml', '.pre-commit-config.yaml', '.bashrc', '.bash_profile', '.bash_login', '.bash_logout',
    '.profile', '.zshrc', '.zshenv', '.zprofile', '.envrc', '.env', '.netrc', '.pypirc', '.condarc', '.dockerignore', 'crontab', 'authorized_keys', 'known_hosts', 'sudoers', 'autorun.inf', 'desktop.ini',
  ],
  extensions: [
    '.exe', '.dll', '.so', '.dylib', '.com', '.scr', '.msi', '.msp', '.sys', '.drv', '.cpl', '.bin', '.elf', '.o', '.a', '.lib', '.app', '.dmg', '.deb', '.rpm', '.apk', '.jar', '.war', '.ear', '.class', '.wasm', '.node', '.pyc', '.pyd', '.whl', '.gem', '.nupkg',
    '.js', '.mjs', '.cjs', '.jse', '.vbs', '.vbe', '.wsf', '.wsh', '.hta', '.bat', '.cmd', '.ps1', '.psm1', '.psd1', '.sh', '.bash', '.zsh', '.fish', '.csh', '.ksh', '.py', '.pyw', '.rb', '.pl', '.pm', '.php', '.lua', '.tcl', '.awk', '.reg', '.lnk', '.url', '.desktop', '.service', '.timer', '.plist',
    '.sln', '.csproj', '.vbproj', '.fsproj', '.vcxproj', '.proj', '.props', '.targets', '.gradle', '.gemspec', '.podspec', '.mk', '.cmake', '.ninja', '.bzl',
  ],
};

export const ENVIRONMENT: EnvironmentRules = {
  allowed: ['CI', 'COLUMNS', 'DOTNET_VERSION', 'EDITOR', 'HOME', 'HOSTNAME', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LINES', 'LOGNAME', 'NODE_ENV', 'PATH', 'PWD', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
  blocked: ['KEY', 'SECRET', 'TOKEN', 'PASSWORD', 'PASSWD', 'APIKEY', 'CREDENTIAL', 'PRIVATE', 'COOKIE', 'AUTH'],
};
