// SPDX-License-Identifier: Apache-2.0
import { readPath, type PathRead } from '../rules/paths.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import { fillIn, isKnown, type Text, type Values } from './text.ts';

/**
 * The path of a text when it runs. A filled-in value may be absolute where it is below the root, as in outputs that
 * contain paths.
 */
export function pathOf(text: Text, sandbox: Sandbox, values?: Values): PathRead {
  const [first, ...rest] = text;
  if (first !== undefined && 'root' in first) return underRoot(first.root, fillIn(rest, sandbox, values), sandbox);
  const filled = fillIn(text, sandbox, values);
  const isOwn =
    first !== undefined && !('text' in first) && (filled === sandbox.root || filled.startsWith(`${sandbox.root}/`));
  return isOwn ? underRoot('WORKSPACE', filled.slice(sandbox.root.length), sandbox) : readPath(filled, sandbox.cwd);
}

function underRoot(root: 'WORKSPACE' | 'CWD', rest: string, { cwd }: Sandbox): PathRead {
  if (rest !== '' && !rest.startsWith('/')) return { path: null, fault: `needs a slash after \`$${root}\`` };
  return readPath(rest.replace(/^\/+/, ''), root === 'CWD' ? cwd : '');
}

/** The fault of a path's form before its value is known, or null. */
export function pathFormFault(text: Text, sandbox: Sandbox): string | null {
  if (text.slice(1).some((part) => 'root' in part)) return 'names the workspace in its middle';
  if (isKnown(text)) return pathOf(text, sandbox).fault;
  const literal = text.map((part) => ('text' in part ? part.text : 'root' in part ? '' : 'x')).join('');
  const [first] = text;
  return first !== undefined && 'root' in first
    ? underRoot(first.root, literal, sandbox).fault
    : readPath(literal, sandbox.cwd).fault;
}
