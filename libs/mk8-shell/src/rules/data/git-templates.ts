// SPDX-License-Identifier: Apache-2.0
import type { CommandTemplate, TemplatePart } from '../schema.ts';
import { choice, COUNT, row } from './template-parts.ts';

/** The 18 supported operations of git. No rebase, no reset, no config, no submodule. */
export const GIT_OPERATIONS = [
  'init',
  'clone',
  'push',
  'pull',
  'merge',
  'commit',
  'checkout',
  'switch',
  'add',
  'stash',
  'status',
  'log',
  'diff',
  'branch',
  'remote',
  'ls-files',
  'tag',
  'describe',
] as const;

/** Read-only branches, whatever precedes their names; `release` with everything below it. */
export const PROTECTED_BRANCHES = ['main', 'master', 'develop', 'staging', 'production', 'live', 'trunk'] as const;

const BRANCH: TemplatePart = { slot: 'branch', protected: false };
const PATHS: TemplatePart = { slot: 'path', access: 'read', optional: true, most: 32 };
const WRITTEN: TemplatePart = { slot: 'path', access: 'write', most: 32 };
const MESSAGE: TemplatePart = { slot: 'text' };
const REMOTE: TemplatePart = { slot: 'name' };
/** A revision that is only read may be a protected branch. */
const revision = (most = 1): TemplatePart => ({
  slot: 'branch',
  protected: true,
  optional: true,
  ...(most === 1 ? {} : { most }),
});
const flags = (...of: string[]): TemplatePart => ({ slot: 'choice', of, optional: true, most: 4 });

const git = (
  name: string,
  parts: readonly TemplatePart[],
  effect: CommandTemplate['effect'],
  summary: string,
): CommandTemplate => row(`git.${name}`, 'git', parts, effect, summary);
/** Moves the branch of HEAD, or pushes it. */
const moving = (
  name: string,
  parts: readonly TemplatePart[],
  effect: CommandTemplate['effect'],
  summary: string,
): CommandTemplate => ({ ...git(name, parts, effect, summary), unprotected_head: true });

const SHARING: readonly CommandTemplate[] = [
  git(
    'clone',
    ['clone', choice('--depth=1'), { slot: 'url' }, { slot: 'path', access: 'write' }],
    'network',
    'copies a repository of the list',
  ),
  moving('push', ['push', choice('-u', '--set-upstream'), REMOTE, BRANCH], 'network', 'sends a branch'),
  moving('push_upstream', ['push'], 'network', 'sends the branch that HEAD is on'),
  moving('pull', ['pull', choice('--ff-only'), REMOTE, BRANCH], 'network', 'brings a branch here and merges it'),
  moving(
    'pull_upstream',
    ['pull', choice('--ff-only')],
    'network',
    'brings the branch that HEAD follows here and merges it',
  ),
  git('remote_list', ['remote', choice('-v')], 'read', 'lists remotes'),
  git('remote_add', ['remote', 'add', REMOTE, { slot: 'url' }], 'write', 'adds a remote of the list'),
];

const CHANGING: readonly CommandTemplate[] = [
  git('init', ['init'], 'write', 'makes a repository, on `feature/init`'),
  git('add', ['add', WRITTEN], 'write', 'stages files'),
  git('add_all', ['add', { slot: 'choice', of: ['-A', '--all', '-u', '.'] }], 'write', 'stages everything'),
  moving('commit', ['commit', choice('-a'), '-m', MESSAGE], 'write', 'commits what is staged'),
  moving('merge', ['merge', choice('--no-ff', '--ff-only'), BRANCH], 'write', 'merges a branch'),
  moving(
    'merge_message',
    ['merge', choice('--no-ff'), '-m', MESSAGE, BRANCH],
    'write',
    'merges a branch, with a message',
  ),
  git('merge_abort', ['merge', '--abort'], 'write', 'gives a merge up'),
  git('checkout', ['checkout', BRANCH], 'write', 'changes to a branch'),
  git('checkout_new', ['checkout', '-b', BRANCH], 'write', 'makes a branch and changes to it'),
  git('checkout_files', ['checkout', '--', WRITTEN], 'write', 'takes files back to what is staged'),
  git('switch', ['switch', BRANCH], 'write', 'changes to a branch'),
  git('switch_new', ['switch', '-c', BRANCH], 'write', 'makes a branch and changes to it'),
  git('stash', ['stash'], 'write', 'puts changes aside'),
  git(
    'stash_push',
    ['stash', 'push', choice('-u', '--include-untracked'), '-m', MESSAGE],
    'write',
    'puts changes aside, with a message',
  ),
  git('stash_back', ['stash', { slot: 'choice', of: ['pop', 'apply'] }], 'write', 'brings changes back'),
  git('stash_list', ['stash', 'list'], 'read', 'lists what was put aside'),
  git('branch_new', ['branch', BRANCH], 'write', 'makes a branch'),
  git('branch_delete', ['branch', '-d', BRANCH], 'write', 'deletes a branch that is merged'),
  git('tag_new', ['tag', { slot: 'name' }], 'write', 'makes a tag'),
  git('tag_message', ['tag', '-a', { slot: 'name' }, '-m', MESSAGE], 'write', 'makes a tag with a message'),
];

const LOOKING: readonly CommandTemplate[] = [
  git('status', ['status', flags('-s', '--short', '--porcelain', '-b', '--branch')], 'read', 'says what has changed'),
  git('log', ['log', flags('--oneline', '--stat', '--graph', '--all', '-p'), revision()], 'read', 'lists commits'),
  git('log_count', ['log', flags('--oneline', '--stat'), '-n', COUNT, revision()], 'read', 'lists so many commits'),
  git(
    'diff',
    ['diff', flags('--stat', '--cached', '--staged', '--name-only', '--name-status'), revision(2)],
    'read',
    'says what differs',
  ),
  git(
    'diff_files',
    ['diff', flags('--stat', '--cached', '--staged'), revision(2), '--', PATHS],
    'read',
    'says what differs in files',
  ),
  git('branch_list', ['branch', flags('-a', '-r', '-v', '--list', '--show-current')], 'read', 'lists branches'),
  git(
    'ls_files',
    ['ls-files', flags('-m', '-o', '-s', '-d', '--exclude-standard')],
    'read',
    'lists files that are followed',
  ),
  git('tag_list', ['tag', choice('-l', '--list')], 'read', 'lists tags'),
  git(
    'describe',
    ['describe', flags('--tags', '--always', '--dirty', '--long'), revision()],
    'read',
    'names a commit by the nearest tag',
  ),
];

export const GIT_TEMPLATES: readonly CommandTemplate[] = [...SHARING, ...CHANGING, ...LOOKING];
