// SPDX-License-Identifier: Apache-2.0
import type { CommandTemplate, TemplatePart } from '../schema.ts';
import { GIT_TEMPLATES } from './git-templates.ts';
import { BUILD_TEMPLATES } from './build-templates.ts';
import { ANY_PATH, choice, COUNT, row, WRITTEN_PATH } from './template-parts.ts';

const word = (list: string): TemplatePart => ({ slot: 'word', list });

/** Interpreters and tools that run code print their version; beyond that they run only what another template says. */
const VERSIONS = [
  'node',
  'npm',
  'npx',
  'python',
  'python3',
  'pip',
  'pip3',
  'ruby',
  'perl',
  'php',
  'java',
  'go',
  'cargo',
  'rustc',
  'deno',
  'bun',
  'bash',
  'git',
  'dotnet',
  'tar',
  'zip',
  'unzip',
];

const NPM: readonly CommandTemplate[] = [
  row(
    'npm.ci',
    'npm',
    ['ci', '--ignore-scripts'],
    'network',
    'installs what the lockfile names, without scripts of packages',
  ),
  row('npm.test', 'npm', ['test'], 'write', 'runs the tests of the project'),
  row(
    'npm.run',
    'npm',
    ['run', word('npm-scripts')],
    'write',
    'runs a script of the project that its name says is a check or a build',
  ),
  row('npm.ls', 'npm', ['ls', choice('--all', '--depth=0', '--json')], 'read', 'lists what is installed'),
];

const CONFIGURATION: TemplatePart = {
  slot: 'choice',
  of: ['--configuration=Debug', '--configuration=Release', '--no-restore', '--no-build', '--nologo'],
  optional: true,
  most: 4,
};
const PROJECT: TemplatePart = { slot: 'path', access: 'read', optional: true };
const DOTNET: readonly CommandTemplate[] = [
  row('dotnet.build', 'dotnet', ['build', PROJECT, CONFIGURATION], 'write', 'builds a project'),
  row('dotnet.test', 'dotnet', ['test', PROJECT, CONFIGURATION], 'write', 'runs the tests of a project'),
  row('dotnet.restore', 'dotnet', ['restore', PROJECT], 'network', 'fetches what a project needs'),
  row('dotnet.clean', 'dotnet', ['clean', PROJECT], 'write', 'deletes what was built'),
  row('dotnet.publish', 'dotnet', ['publish', PROJECT, CONFIGURATION], 'write', 'builds a project for use elsewhere'),
  row('dotnet.format', 'dotnet', ['format', PROJECT, choice('--verify-no-changes')], 'write', 'formats sources'),
  row(
    'dotnet.info',
    'dotnet',
    [{ slot: 'choice', of: ['--info', '--list-sdks', '--list-runtimes'] }],
    'read',
    'says what is installed',
  ),
];

const ARCHIVES: readonly CommandTemplate[] = [
  row(
    'tar.create',
    'tar',
    [{ slot: 'choice', of: ['-cf', '-czf', '-cjf', '-cJf'] }, WRITTEN_PATH, ANY_PATH],
    'write',
    'packs files',
  ),
  row(
    'tar.list',
    'tar',
    [
      { slot: 'choice', of: ['-tf', '-tzf', '-tvf', '-tjf', '-tJf'] },
      { slot: 'path', access: 'read' },
    ],
    'read',
    'lists an archive',
  ),
  row(
    'zip.create',
    'zip',
    [{ slot: 'choice', of: ['-r', '-q', '-rq'] }, WRITTEN_PATH, ANY_PATH],
    'write',
    'packs files',
  ),
  row('unzip.list', 'unzip', ['-l', { slot: 'path', access: 'read' }], 'read', 'lists an archive'),
];

const flags = (...of: string[]): TemplatePart => ({ slot: 'choice', of, optional: true, most: 4 });
const counted = (binary: string, summary: string): CommandTemplate =>
  row(`text.${binary}`, binary, ['-n', COUNT, ANY_PATH], 'read', summary);
const TEXT: readonly CommandTemplate[] = [
  row('text.cat', 'cat', [flags('-n', '-A'), ANY_PATH], 'read', 'prints files'),
  row('text.wc', 'wc', [flags('-l', '-w', '-c', '-m'), ANY_PATH], 'read', 'counts lines, words and bytes'),
  row(
    'text.ls',
    'ls',
    [flags('-l', '-a', '-la', '-R', '-1', '-h'), { slot: 'path', access: 'read', optional: true, most: 16 }],
    'read',
    'lists directories',
  ),
  row('text.sort', 'sort', [flags('-r', '-n', '-u', '-f'), ANY_PATH], 'read', 'prints lines in order'),
  row('text.uniq', 'uniq', [flags('-c', '-d', '-u'), { slot: 'path', access: 'read' }], 'read', 'prints lines once'),
  counted('head', 'prints the first lines'),
  counted('tail', 'prints the last lines'),
  row(
    'text.grep',
    'grep',
    [flags('-n', '-i', '-r', '-l', '-c'), '-F', '-e', { slot: 'name' }, ANY_PATH],
    'read',
    'prints lines that hold a name',
  ),
  row(
    'text.diff',
    'diff',
    [flags('-u', '-r', '-q', '-w'), { slot: 'path', access: 'read' }, { slot: 'path', access: 'read' }],
    'read',
    'compares two files',
  ),
  row(
    'text.cmp',
    'cmp',
    [
      { slot: 'path', access: 'read' },
      { slot: 'path', access: 'read' },
    ],
    'read',
    'compares two files by bytes',
  ),
  row('text.stat', 'stat', [ANY_PATH], 'read', 'says what is known of files'),
  row('text.du', 'du', [flags('-s', '-h', '-sh'), ANY_PATH], 'read', 'says how much room files take'),
  row('text.file', 'file', [ANY_PATH], 'read', 'says what kind files are of'),
  ...['sha256sum', 'sha512sum', 'md5sum'].map((binary) =>
    row(`text.${binary}`, binary, [ANY_PATH], 'read', 'prints digests of files'),
  ),
];

/** Every command that ProcRun may start, as shipped. */
export const TEMPLATES: readonly CommandTemplate[] = [
  ...VERSIONS.map((binary) => row(`version.${binary}`, binary, ['--version'], 'read', 'prints its version')),
  ...GIT_TEMPLATES,
  ...NPM,
  ...BUILD_TEMPLATES,
  ...DOTNET,
  ...ARCHIVES,
  ...TEXT,
];
