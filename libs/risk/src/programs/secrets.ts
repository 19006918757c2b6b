// SPDX-License-Identifier: Apache-2.0
import { isExact, type Field } from '../shell/field.ts';
import type { Shell } from '../shell/shell.ts';
import { isCredential, isSecretFile } from './secret-names.ts';

/** Notes the reading of a credential that lies outside the workspace. */
export function noteRead(form: string, paths: readonly Field[], shell: Shell): void {
  for (const path of paths) {
    const outside = shell.zones(path).some((zone) => zone === 'outside' || zone === 'system' || zone === 'unknown');
    if (outside && isCredential(path.text)) shell.act('credential_read', form, path.text);
  }
}

/** Programs that get a key to use it, or a path to inspect it from outside. */
const USES = new Set([
  'ssh',
  'ssh-add',
  'ssh-keygen',
  'ssh-copy-id',
  'sftp',
  'chmod',
  'chown',
  'ls',
  'dir',
  'stat',
  'test',
  '[',
  'mkdir',
  'touch',
  'rm',
  'echo',
  'printf',
  'git',
  'kubectl',
  'helm',
  'cd',
  'find',
  'ln',
  'readlink',
  'realpath',
  'basename',
  'dirname',
  'du',
  'tree',
  'file',
  'export',
  'source',
  '.',
]);

/**
 * Notes when a program gets credentials as an argument. Returns whether it may pass on the content of a file of
 * secrets.
 */
export function noteCredentials(name: string, args: readonly Field[], shell: Shell): boolean {
  if (USES.has(name)) return false;
  const paths = args
    .filter(({ text }) => !text.startsWith('-'))
    .map((path) => shell.scope.movedTo.get(shell.path(path) ?? '')?.from ?? path);
  noteRead(name, paths, shell);
  return paths.some(({ text }) => isExact(text) && isSecretFile(text));
}
