// SPDX-License-Identifier: Apache-2.0
import { readPath, type PathRead } from '../rules/paths.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import { fillIn, isKnown, type Text, type Values } from './text.ts';

/**
 * The path that a text is when it runs. What is filled in may be absolute where it lies under the root, as outputs that
 * name paths do.
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

/** What the form of a path tells before it is known, or null. */
export function pathFormFault(text: Text, sandbox: Sandbox): string | null {
  if (text.slice(1).some((part) => 'root' in part)) return 'names the workspace in its middle';
  if (isKnown(text)) return pathOf(text, sandbox).fault;
  const literal = text.map((part) => ('text' in part ? part.text : 'root' in part ? '' : 'x')).join('');
  const [first] = text;
  return first !== undefined && 'root' in first
    ? underRoot(first.root, literal, sandbox).fault
    : readPath(literal, sandbox.cwd).fault;
}
