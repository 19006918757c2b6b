// SPDX-License-Identifier: Apache-2.0
// Keys of git's configuration whose values are programs, or lead to further configuration that nobody here has read (git-config).

/** Whole keys, lower case, the subsection left out. */
const KEYS = new Set([
  'core.fsmonitor', 'core.sshcommand', 'core.hookspath', 'core.editor', 'core.pager', 'core.askpass', 'core.gitproxy', 'core.alternaterefscommand',
  'core.attributesfile', 'core.worktree', 'sequence.editor', 'gpg.program', 'gpg.ssh.program', 'gpg.ssh.defaultkeycommand', 'credential.helper',
  'diff.external', 'diff.command', 'diff.textconv', 'filter.clean', 'filter.smudge', 'filter.process', 'merge.driver', 'interactive.difffilter',
  'uploadpack.packobjectshook', 'remote.receivepack', 'remote.uploadpack', 'remote.vcs', 'url.insteadof', 'url.pushinsteadof', 'include.path',
  'includeif.path', 'difftool.cmd', 'difftool.path', 'mergetool.cmd', 'mergetool.path', 'browser.cmd', 'browser.path', 'man.cmd', 'man.path',
  'trailer.command', 'trailer.cmd', 'web.browser', 'sendemail.smtpserver', 'sendemail.tocmd', 'sendemail.cccmd', 'sendemail.sendmailcmd', 'imap.tunnel',
  'protocol.allow', 'hook.command', 'instaweb.httpd', 'instaweb.browser', 'tar.command', 'gc.recentobjectshook', 'init.templatedir',
]);
/** Keys of which each variable is a program. */
const SECTIONS = new Set(['alias', 'pager', 'guitool']);
/** Values that are programs only when they begin so. */
const SHELL_VALUE = /^\s*"?!/;

/**
 * The entries of a configuration that start programs, each as `key=value`. A line that cannot be read counts as one: whoever wrote it knows what git
 * makes of it.
 */
export function programsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  let [section, inSection] = ['', false];
  for (const line of joinedLines(text)) {
    const header = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
    if (header !== null) [section, inSection] = [(header[1] ?? '').toLowerCase(), true];
    const rest = header === null ? line : header[3] ?? '';
    if (/^\s*(?:[#;]|$)/.test(rest)) continue;
    const entry = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(rest);
    if (entry === null || !inSection) {
      found.add(`unreadable=${rest.trim()}`);
      continue;
    }
    const [name, value] = [(entry[1] ?? '').toLowerCase(), entry[2] ?? ''];
    if (startsProgram(section, name, value)) found.add(`${section}.${name}=${value.trim()}`);
  }
  return found;
}

function startsProgram(section: string, name: string, value: string): boolean {
  // The old spelling: `[section.subsection]`.
  const base = section.split('.')[0] ?? '';
  if (section === 'submodule' || base === 'submodule') return name === 'update' && SHELL_VALUE.test(value);
  if (base === 'alias') return SHELL_VALUE.test(value);
  return SECTIONS.has(base) || KEYS.has(`${base}.${name}`);
}

/** A backslash at the end of a line continues it. */
const joinedLines = (text: string): readonly string[] => text.replaceAll('\r\n', '\n').replaceAll(/\\\n/g, '').split('\n');

/** Directories that a configuration names for hooks, as they are written. */
export function hooksPathsIn(text: string): readonly string[] {
  return [...programsIn(text)].filter((entry) => entry.startsWith('core.hookspath=')).map((entry) => entry.slice(entry.indexOf('=') + 1).replaceAll('"', ''));
}
