// SPDX-License-Identifier: Apache-2.0
// Directories that an installation fills. What their packages say of themselves was there to be installed.

const INSTALLED = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  'vendor',
  'site-packages',
  '.venv',
  'venv',
  '.tox',
  '.nox',
  '.eggs',
  'pods',
  '.bundle',
  '.terraform',
  '.pnpm-store',
  '.npm',
  '.yarn',
]);

/** Whether what is written below a directory is one more package of an installation. */
export const isInstalledName = (name: string): boolean => INSTALLED.has(name.toLowerCase());

/**
 * Whether a path or pattern of a manifest makes packages of the project out of installed ones, or out of whatever there
 * is.
 */
export const leadsToInstalled = (path: string): boolean => {
  const names = path
    .replace(/^[a-z]+:/i, '')
    .split(/[/\\]/)
    .filter((name) => name !== '' && name !== '.' && name !== '..');
  return names.some(isInstalledName) || /^(?:\*|\{|\[)/.test(names[0] ?? '');
};

/** An address of a package in the same folder tree, as npm, pnpm and Yarn read it. */
export const isLocalPackage = (address: string): boolean =>
  /^(?:file:|link:|portal:|workspace:\.|\.{1,2}[/\\]|[/~])/i.test(address);
