// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { blobReader, type BlobStore } from '@writ/blobs';
import { coversPath } from '@writ/capability';
import { runFileTool } from '@writ/workspace';
import { Runner, type Call, type Staged } from './runner.ts';

const textBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null));

/** Runs `fs.*` on the snapshot's tree. There is no host path to escape to. */
export class InlineRunner extends Runner {
  override readonly toolClass = 'inline';
  readonly #blobs: BlobStore;
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(blobs: BlobStore, now: () => number) {
    super();
    this.#blobs = blobs;
    this.#now = now;
  }

  override async run(call: Call): Promise<Staged> {
    const started = this.#now();
    const outcome = await runFileTool(call.toolId, {
      reader: blobReader(this.#blobs, call.tenantId as TenantId),
      root: call.root,
      may: (access, path) => call.fs.every((roots) => coversPath(roots, access, path)),
    }, call.args);
    const result = outcome.ok ? outcome.result : null;
    const blobs = outcome.ok ? outcome.blobs.map((blob) => blob.bytes) : [];
    const wallMs = Math.round(this.#now() - started);
    return {
      ended: outcome.ok ? 'exited' : 'failed',
      exitCode: null,
      error: outcome.ok ? null : { code: outcome.code, message: outcome.message, hint: outcome.hint },
      delta: outcome.ok ? outcome.delta : null,
      blobs,
      result,
      // An inline tool runs on the executor's own processor: its wall time bounds what it used.
      usage: { wall_ms: wallMs, cpu_ms: wallMs, memory_peak_bytes: 0, disk_write_bytes: blobs.reduce((sum, b) => sum + b.length, 0), output_bytes: textBytes(result) },
    };
  }
}
