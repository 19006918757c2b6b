// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { FileState } from '@writ/contract';
import { encodePatches } from './encode-patch.ts';
import type { EntryTree } from './entry-tree.ts';
import { CHUNK_BYTES_MAX, HOST_FRAMES } from './frame.ts';
import { encodeHostMessage } from './host-message.ts';
import { pathFault, targetFault } from './path.ts';
import { SandboxJobError, type SandboxEntry, type SandboxJob, type SandboxLimits } from './sandbox.ts';

const NONE = Buffer.alloc(0);
/** Frames of small files are joined up to here: one write for dozens of files instead of one each. */
const BATCH_BYTES = 64 * 1024;

/** What is larger belongs into the workspace as a file. */
const STDIN_BYTES_MAX = 4 * 1024 * 1024;

/** Throws SandboxJobError unless every field that doesn't come from a stream can be run as asked. */
export function assertRunnable(job: SandboxJob): void {
  if (job.command === '' || job.command.includes('\0')) throw new SandboxJobError('the command is empty or contains NUL');
  if ((job.stdin?.length ?? 0) > STDIN_BYTES_MAX) throw new SandboxJobError(`stdin is longer than ${STDIN_BYTES_MAX} bytes`);
  if (job.cwd !== '' && pathFault(job.cwd) !== null) throw new SandboxJobError(`the working directory ${pathFault(job.cwd)}`);
  for (const [name, value] of Object.entries(job.env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes('\0')) throw new SandboxJobError(`the variable \`${name}\` can't be set`);
  }
  for (const [name, value] of Object.entries(job.limits) as [keyof SandboxLimits, number][]) {
    if (!Number.isFinite(value) || value < 0 || (name !== 'cpus' && !Number.isInteger(value))) throw new SandboxJobError(`the limit \`${name}\` is no amount`);
  }
}

/**
 * The bytes that carry a job to its agent: workspace, stdin, order. Fills `sent` with what stands in the workspace; where something does already, only what differs is carried.
 * Throws SandboxJobError at an entry that can't be there.
 */
export async function* encodeJob(job: SandboxJob, sent: EntryTree): AsyncGenerator<Buffer, void, undefined> {
  if (job.kin !== undefined && !sent.isEmpty) yield* encodePatches(job.kin.patches(sent), sent);
  else yield* encodeEntries(job.files, sent);
  const rest = chunksOf(job.stdin ?? NONE).map((bytes) => encodeHostMessage({ type: 'stdin', bytes }));
  yield Buffer.concat([...rest, encodeOrder(job)]);
}

/** The bytes that carry a workspace to an agent; fills `sent` as it goes. Throws SandboxJobError at an entry that can't be there. */
export async function* encodeEntries(files: SandboxJob['files'], sent: EntryTree): AsyncGenerator<Buffer, void, undefined> {
  let batch: Buffer[] = [];
  let batched = 0;
  for await (const entry of files) {
    for (const frame of encodeEntry(entry, sent)) {
      batch.push(frame);
      batched += frame.length;
      if (batched < BATCH_BYTES) continue;
      yield Buffer.concat(batch, batched);
      batch = [];
      batched = 0;
    }
  }
  if (batched > 0) yield Buffer.concat(batch, batched);
}

function encodeOrder({ command, cwd, env, stdin, limits, egress }: SandboxJob): Buffer {
  const order = {
    command, cwd, env, timeout_ms: limits.wallMs, stdin: stdin !== undefined,
    output_bytes_max: limits.outputBytes, delta_bytes_max: limits.deltaBytes, delta_files_max: limits.deltaFiles,
    ...(egress === undefined ? {} : { proxy: true }),
  };
  if (Buffer.byteLength(JSON.stringify(order)) > HOST_FRAMES.job.bytesMax) throw new SandboxJobError('the command and its variables are too long');
  return encodeHostMessage({ type: 'job', job: order });
}

function* encodeEntry(entry: SandboxEntry, sent: EntryTree): Generator<Buffer> {
  const { path, kind } = entry;
  const state = stateOf(entry);
  const fault = pathFault(path) ?? (kind === 'symlink' ? targetFault(entry.target) : null) ?? sent.add(path, state);
  if (fault !== null) throw new SandboxJobError(`the entry \`${path}\` ${fault}`);
  if (kind === 'dir') return yield encodeHostMessage({ type: 'file', head: { kind, path }, bytes: NONE });
  if (kind === 'symlink') return yield encodeHostMessage({ type: 'file', head: { kind, path, target: entry.target }, bytes: NONE });
  const head = { kind, path, mode: entry.mode, size: entry.bytes.length, sha256: state.sha256 ?? '' };
  const [first = NONE, ...rest] = chunksOf(entry.bytes);
  yield encodeHostMessage({ type: 'file', head, bytes: first });
  for (const bytes of rest) yield encodeHostMessage({ type: 'data', bytes });
}

/** An entry as snapshots and deltas know it: a link's content is its target, a directory has none. */
export function stateOf(entry: SandboxEntry): FileState {
  if (entry.kind === 'dir') return { kind: 'dir', mode: null, sha256: null, size: 0 };
  const bytes = entry.kind === 'symlink' ? Buffer.from(entry.target) : entry.bytes;
  const known = entry.kind === 'file' ? entry.sha256 : undefined;
  return { kind: entry.kind, mode: entry.mode, sha256: known ?? createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
}

/** Content in pieces that fit a frame; none for none. */
export function chunksOf(bytes: Uint8Array): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES_MAX) {
    chunks.push(Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(CHUNK_BYTES_MAX, bytes.length - at)));
  }
  return chunks;
}
