// SPDX-License-Identifier: Apache-2.0
// Keys of git's configuration whose values are programs, or lead to further configuration that is not examined
// (git-config).
import { entriesOf, type Entry } from './git-config-text.ts';

/** Whole keys, in lower case, without the subsection. */
const KEYS = new Set([
  'core.fsmonitor',
  'core.sshcommand',
  'core.hookspath',
  'core.editor',
  'core.pager',
  'core.askpass',
  'core.gitproxy',
  'core.alternaterefscommand',
  'core.attributesfile',
  'core.worktree',
  'sequence.editor',
  'gpg.program',
  'gpg.defaultkeycommand',
  'credential.helper',
  'diff.external',
  'diff.command',
  'diff.textconv',
  'filter.clean',
  'filter.smudge',
  'filter.process',
  'merge.driver',
  'interactive.difffilter',
  'uploadpack.packobjectshook',
  'remote.receivepack',
  'remote.uploadpack',
  'remote.vcs',
  'url.insteadof',
  'url.pushinsteadof',
  'include.path',
  'includeif.path',
  'difftool.cmd',
  'difftool.path',
  'mergetool.cmd',
  'mergetool.path',
  'browser.cmd',
  'browser.path',
  'man.cmd',
  'man.path',
  'trailer.command',
  'trailer.cmd',
  'web.browser',
  'sendemail.smtpserver',
  'sendemail.tocmd',
  'sendemail.cccmd',
  'sendemail.sendmailcmd',
  'imap.tunnel',
  'protocol.allow',
  'hook.command',
  'instaweb.httpd',
  'instaweb.browser',
  'tar.command',
  'gc.recentobjectshook',
  'init.templatedir',
  // Its text becomes lines of a rebase's instructions, which may contain `exec`.
  'rebase.instructionformat',
  'mergetool.layout',
  'sendemail.headercmd',
  'lfs.path',
  'lfs.clean',
  'lfs.smudge',
  'svn.authorsprog',
]);
/** Sections in which each variable is a program. */
const SECTIONS = new Set(['alias', 'pager', 'guitool']);
/** An alias of these starts only git, whatever its arguments are. */
const PLAIN_ALIAS = new RegExp(
  '^(?:add|blame|branch|cat-file|checkout|cherry|cherry-pick|clean|commit|describe|diff|log|ls-files|ls-tree|merge|mv|range-diff|reflog|reset|restore|' +
    'rev-list|rev-parse|revert|rm|shortlog|show|show-branch|stash|status|switch|tag|whatchanged|worktree)(?: |$)',
);
/**
 * An alias of these starts only git unless it has an option that names a program. Git accepts any prefix of an option's
 * name.
 */
const CAREFUL_ALIAS = /^(?:fetch|pull|push|rebase|remote)(?: +(?!-x|-c|--e|--u|--rec)[^\s"'\\]+)*$/;

/**
 * The entries of a configuration that start programs, each as `key=value`. A text that git can't parse counts as one,
 * since its author may know how git treats it.
 * @param text its bytes, each as one character (Latin-1)
 */
export function programsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const entry of entriesOf(text)) {
    if (entry.kind === 'unreadable') found.add(`unreadable=${entry.rest}`);
    else if (startsProgram(entry)) found.add(`${keyOf(entry)}=${entry.value ?? ''}`);
  }
  return found;
}

const keyOf = ({ section, subsection, name }: Entry): string =>
  [section, ...(subsection === null ? [] : [subsection]), name].join('.');

function startsProgram({ section, name, value }: Entry): boolean {
  // The old spelling: `[section.subsection]`.
  const base = section.split('.')[0] ?? '';
  if (base === 'submodule') return name === 'update' && value?.startsWith('!') === true;
  if (base === 'alias') return value !== null && !PLAIN_ALIAS.test(value) && !CAREFUL_ALIAS.test(value);
  return SECTIONS.has(base) || KEYS.has(`${base}.${name}`);
}

/** Directories that a configuration names for hooks, as they are written. */
export function hooksPathsIn(text: string): readonly string[] {
  return [...programsIn(text)]
    .filter((entry) => entry.startsWith('core.hookspath='))
    .map((entry) => entry.slice(entry.indexOf('=') + 1));
}
