// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { canonicalJson } from '@writ/digest';
import { applyDelta } from '../apply-delta.ts';
import { parseDelta } from '../delta.ts';
import { withBlobs } from '../node.ts';
import { parsePath } from '../path.ts';
import { BlobMap } from '../tree-model.contract.ts';
import { lookup } from '../tree.ts';
import type { FileToolContext, FileToolSuccess, ToolFailure } from './outcome.ts';
import { runFileTool } from './run.ts';

const FILES = {
  'a.txt': 'one\ntwo\nthree\n',
  'src/b.ts': 'const x = 1;\nconst y = 1;\n',
  'src/deep/c.ts': 'x\r\n\tconst   z = 2;\n',
  empty: '',
  binary: 'a\0b',
  wide: 'ü'.repeat(200_000),
  link: { link: 'src/b.ts' },
  'dir-link': { link: 'src' },
  out: { link: '/etc/passwd' },
  'private/key': 'secret x = 1',
  leak: { link: 'private/key' },
  bom: '\ufeffx',
};

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** File tools on a small workspace; the token grants all but `private`. */
export class FileTools {
  readonly blobs: BlobMap;
  readonly context: FileToolContext;

  private constructor(blobs: BlobMap, root: FileToolContext['root']) {
    this.blobs = blobs;
    this.context = { reader: blobs.reader, root, may: (_, path) => !path.startsWith('private') };
  }

  static async open(): Promise<FileTools> {
    const blobs = new BlobMap();
    return new FileTools(blobs, await blobs.tree(FILES));
  }

  async run(toolId: string, args: unknown): Promise<FileToolSuccess<Record<string, unknown>>> {
    const outcome = await runFileTool(toolId, this.context, args);
    if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`);
    // A record hashes the result, so it must be JSON that readers accept.
    canonicalJson(outcome.result);
    return outcome as FileToolSuccess<Record<string, unknown>>;
  }

  async failure(toolId: string, args: unknown): Promise<ToolFailure> {
    const outcome = await runFileTool(toolId, this.context, args);
    if (outcome.ok) throw new Error('it did not fail');
    return outcome;
  }

  /** The text at a path after the outcome's delta. */
  async textAfter(outcome: FileToolSuccess<unknown>, path: string): Promise<string> {
    if (!outcome.delta) throw new Error('nothing changed');
    const reader = withBlobs(this.context.reader, outcome.blobs);
    const applied = await applyDelta(reader, this.context.root, parseDelta(structuredClone(outcome.delta)));
    const entry = await lookup(withBlobs(reader, applied.nodes), applied.root, parsePath(path));
    return Buffer.from(await reader(entry?.sha256 ?? '')).toString();
  }
}
