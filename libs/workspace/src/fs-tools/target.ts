// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS } from '@writ/contract';
import type { NodeEntry } from '../node-entry.ts';
import { parsePath, ROOT, type WorkspacePath } from '../path.ts';
import { quote } from '../quote.ts';
import { resolveLinks, type Resolved } from '../resolve-links.ts';
import type { FileToolContext } from './outcome.ts';
import { ToolFault } from './tool-fault.ts';

export type FileEntry = NodeEntry & { readonly kind: 'file' };

/**
 * Parses a path, follows its links and checks access to the result. Faults: of `parsePath` and `resolveLinks`,
 * `token.scope`.
 */
export async function targetOf(
  context: FileToolContext,
  text: string,
  access: readonly ('read' | 'write')[],
): Promise<Resolved> {
  const requested = parsePath(text);
  const target = await resolveLinks(context.reader, context.root, requested);
  for (const each of access) {
    if (!context.may(each, target.path)) {
      const through = target.path === requested ? '' : `, where ${quote(requested)} leads,`;
      throw new Fault(
        'token.scope',
        `the capability token does not let the call ${each} ${quote(target.path)}${through}`.replace(/,$/, ''),
      );
    }
  }
  return target;
}

/** The file at a resolved path. Faults: `file.not_found`, `file.kind`, `file.too_large`. */
export function requireFile(target: Resolved): FileEntry {
  const { entry, path } = target;
  if (entry === null)
    throw new ToolFault('file.not_found', `there is no file ${quote(path)}`, 'list the directory to see what is there');
  if (entry.kind !== 'file') throw notAFile(path);
  if (entry.size > LIMITS.fileToolBytes.max)
    throw new Fault('file.too_large', `${quote(path)} is ${entry.size} bytes long, above ${LIMITS.fileToolBytes.max}`);
  return entry;
}

/** The fault for a path that must be a file and isn't. */
export function notAFile(path: WorkspacePath): Fault {
  return new ToolFault('file.kind', `${quote(path === ROOT ? '/workspace' : path)} is a directory`, 'name a file');
}
