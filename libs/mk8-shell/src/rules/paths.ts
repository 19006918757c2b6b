// SPDX-License-Identifier: Apache-2.0
import type { Access } from '../registry/arguments.ts';
import { VERB_LIMITS } from '../limits.ts';
import type { Rules } from './rules.ts';

/**
 * A path within the workspace: no slash at either end, no `.`, no `..`; empty for the workspace itself. Or the fault.
 */
export type PathRead =
  { readonly path: string; readonly fault: null } | { readonly path: null; readonly fault: string };

const faulty = (fault: string): PathRead => ({ path: null, fault });

/**
 * Parses a path relative to a base. Attacker-controlled. Links are not considered: they are resolved where the files
 * are.
 */
export function readPath(text: string, base: string): PathRead {
  if (text.length > VERB_LIMITS.pathChars) return faulty(`is longer than ${VERB_LIMITS.pathChars} characters`);
  if (/[\x00-\x1f\x7f\\]/.test(text)) return faulty('holds a backslash or a control character');
  if (text.startsWith('/') || text.startsWith('~') || /^[a-z]:/i.test(text))
    return faulty('must be inside the workspace: an absolute path begins with `$WORKSPACE` or `$CWD`');
  const segments = [...base.split('/'), ...text.split('/')].filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) return faulty('holds `..`, which leads out');
  return { path: segments.join('/'), fault: null };
}

/** The folder of git's own files, also in the spelling of file systems that ignore case, final dots or long names. */
const isGit = (segment: string): boolean => /^(?:\.git[. ]*|git~[0-9]+)$/i.test(segment);

/**
 * Why the path's own name forbids the access, or null: `.git` is never changed, the workspace never deleted, and files
 * that start something are never written.
 */
export function accessFault(rules: Rules, path: string, access: Access): string | null {
  if (access === 'read') return null;
  const segments = path.split('/');
  if (segments.some(isGit)) return '`.git` can be changed by git alone';
  if (access === 'delete') return path === '' ? "the workspace itself can't be deleted" : null;
  return writeFault(rules, segments.at(-1) ?? '');
}

function writeFault({ blockedNames, blockedExtensions }: Rules, name: string): string | null {
  // Some file systems drop dots and spaces at the end.
  const lower = name.toLowerCase().replace(/[. ]+$/, '');
  if (blockedNames.has(lower)) return `files called \`${name.slice(0, 64)}\` can't be written: they make something run`;
  const extension = lower.slice(Math.max(0, lower.lastIndexOf('.')));
  return blockedExtensions.has(extension)
    ? `files that end in \`${extension}\` can't be written: they are for running`
    : null;
}
