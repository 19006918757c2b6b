// SPDX-License-Identifier: Apache-2.0
// Directories that an installation fills. The manifests of their packages were there to be installed.

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

/** Whether a directory of this name holds installed packages. */
export const isInstalledName = (name: string): boolean => INSTALLED.has(name.toLowerCase());

/** Whether a path or pattern of a manifest makes installed packages, or all packages, part of the project. */
export const leadsToInstalled = (path: string): boolean => {
  const names = path
    .replace(/^[a-z]+:/i, '')
    .split(/[/\\]/)
    .filter((name) => name !== '' && name !== '.' && name !== '..');
  return names.some(isInstalledName) || /^(?:\*|\{|\[)/.test(names[0] ?? '');
};

/** A local address of a package, in the notation of npm, pnpm and Yarn. */
export const isLocalPackage = (address: string): boolean =>
  /^(?:file:|link:|portal:|workspace:\.|\.{1,2}[/\\]|[/~])/i.test(address);
