// SPDX-License-Identifier: Apache-2.0
import { AGENT_SPAWN, isTaskTool, secretReference, SKILL_READ, VALUE_GET, type TenantId, type Usage } from '@writ/contract';
import { blobReader, type BlobReader, type BlobStore } from '@writ/blobs';
import { coversPath } from '@writ/capability';
import { runFileTool, type FileToolOutcome } from '@writ/workspace';
import { LimitReached, timedReader, verifyTime, verifyWritten } from './inline-limits.ts';
import { Runner, type Call, type Staged } from './runner.ts';
import { runSkillTool } from './skill-tool.ts';
import { runTaskTool } from './task-tools.ts';

const textBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null));

/** Runs `fs.*` on the snapshot's tree, hands on values, and answers about tasks and skills. There is no host path to escape to. */
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

  #reader({ tenantId, nodes }: Call): BlobReader {
    const read = blobReader(this.#blobs, tenantId as TenantId);
    return async (sha256) => nodes.get(sha256) ?? await read(sha256);
  }

  override async run(call: Call): Promise<Staged> {
    const started = this.#now();
    const elapsed = (): number => Math.round(this.#now() - started);
    try {
      const outcome = await this.#outcome(call, () => verifyTime(elapsed(), call.limits));
      verifyTime(elapsed(), call.limits);
      return stagedOf(outcome, elapsed());
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      return {
        ended: 'limit', exitCode: null, error: { code: 'limit.exceeded', message: error.message, hint: 'ask for less in one call, or for a token with more of it' },
        delta: null, blobs: [], result: null, usage: usageOf(elapsed(), 0, null),
      };
    }
  }

  async #outcome(call: Call, verify: () => void): Promise<FileToolOutcome<unknown>> {
    if (call.toolId === VALUE_GET.tool_id) return valueOutcome(call);
    // What it means is that it was committed: the kernel makes the sub-agent's token of that.
    if (call.toolId === AGENT_SPAWN.tool_id) return { ok: true, delta: null, blobs: [], result: { allowed: true } };
    if (isTaskTool(call.toolId)) return runTaskTool(call);
    const reader = timedReader(this.#reader(call), verify);
    if (call.toolId === SKILL_READ.tool_id) return await runSkillTool(call, reader);
    const outcome = await runFileTool(call.toolId, {
      reader,
      root: call.root,
      may: (access, path) => call.fs.every((roots) => coversPath(roots, access, path)),
    }, call.args);
    if (outcome.ok) verifyWritten(writtenBy(outcome), call.limits);
    return outcome;
  }
}

/**
 * Hands on what a person gave. INVARIANT (a secret stays out): the kernel sends a value along only where it is none, so there is nothing here that a report could tell.
 */
function valueOutcome({ args, secrets }: Call): FileToolOutcome<unknown> {
  const key = String(args['key']);
  const value = Object.hasOwn(secrets, key) ? secrets[key] : undefined;
  return { ok: true, delta: null, blobs: [], result: value === undefined ? { key, value: null, reference: secretReference(key) } : { key, value, reference: null } };
}

const writtenBy = (outcome: FileToolOutcome<unknown>): number => (outcome.ok ? outcome.blobs.reduce((sum, { bytes }) => sum + bytes.length, 0) : 0);

function stagedOf(outcome: FileToolOutcome<unknown>, elapsedMs: number): Staged {
  const result = outcome.ok ? outcome.result : null;
  return {
    ended: outcome.ok ? 'exited' : 'failed',
    exitCode: null,
    error: outcome.ok ? null : { code: outcome.code, message: outcome.message, hint: outcome.hint },
    delta: outcome.ok ? outcome.delta : null,
    blobs: outcome.ok ? outcome.blobs.map((blob) => blob.bytes) : [],
    result,
    usage: usageOf(elapsedMs, writtenBy(outcome), result),
  };
}

/** An inline tool runs on the executor's own processor: its wall time bounds what it used. */
const usageOf = (elapsedMs: number, written: number, result: unknown): Usage =>
  ({ wall_ms: elapsedMs, cpu_ms: elapsedMs, memory_peak_bytes: 0, disk_write_bytes: written, output_bytes: textBytes(result) });
