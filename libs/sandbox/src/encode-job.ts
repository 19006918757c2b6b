// SPDX-License-Identifier: Apache-2.0
import { chunksOf, encodeEntries, type Parts } from './encode-entries.ts';
import { encodePatches } from './encode-patch.ts';
import type { EntryTree } from './entry-tree.ts';
import { HOST_FRAMES } from './frame.ts';
import { ARGUMENTS_MAX, encodeHostMessage } from './host-message.ts';
import { pathFault } from './path.ts';
import { tapBytesOf, SandboxJobError, type SandboxJob, type SandboxLimits } from './sandbox.ts';

const NONE = Buffer.alloc(0);
/** Larger input belongs into the workspace as a file. */
const STDIN_BYTES_MAX = 4 * 1024 * 1024;

/** Throws SandboxJobError unless all fields that don't come from a stream are valid. */
export function assertRunnable(job: SandboxJob): void {
  if (job.argv === undefined) {
    if (job.command === '' || job.command.includes('\0'))
      throw new SandboxJobError('the command is empty or contains NUL');
  } else assertArguments(job.argv, job.command);
  if ((job.stdin?.length ?? 0) > STDIN_BYTES_MAX)
    throw new SandboxJobError(`stdin is longer than ${STDIN_BYTES_MAX} bytes`);
  if (job.stdio !== undefined && job.stdin !== undefined)
    throw new SandboxJobError('a job gets its input from a connection or in advance, not both');
  if (job.cwd !== '' && pathFault(job.cwd) !== null)
    throw new SandboxJobError(`the working directory ${pathFault(job.cwd)}`);
  // INVARIANT (never root): whoever asks for it, no job runs as user or group 0.
  if (job.user !== undefined && !Object.values(job.user).every((id) => Number.isInteger(id) && id > 0))
    throw new SandboxJobError('no job runs as root');
  for (const [name, value] of Object.entries(job.env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes('\0'))
      throw new SandboxJobError(`the variable \`${name}\` can't be set`);
  }
  for (const [name, value] of Object.entries(job.limits) as [keyof SandboxLimits, number][]) {
    if (!Number.isFinite(value) || value < 0 || (name !== 'cpus' && !Number.isInteger(value)))
      throw new SandboxJobError(`the limit \`${name}\` is no amount`);
  }
}

/** A program's arguments must be acceptable to the kernel. */
function assertArguments(argv: readonly string[], command: string): void {
  if (command !== '') throw new SandboxJobError('a job is a command or a program, not both');
  if (
    argv.length === 0 ||
    argv.length > ARGUMENTS_MAX ||
    argv[0] === '' ||
    argv.some((argument) => argument.includes('\0'))
  ) {
    throw new SandboxJobError(`a program has a name and at most ${ARGUMENTS_MAX} arguments without NUL`);
  }
}

/**
 * The messages that send a job to its agent: workspace, stdin, order. Records the entries in `sent`; where it already
 * holds entries, only the differences are sent. Throws SandboxJobError at an invalid entry.
 */
export async function* encodeJob(job: SandboxJob, sent: EntryTree): AsyncGenerator<Parts, void, undefined> {
  const workspace =
    job.kin !== undefined && !sent.isEmpty
      ? encodePatches(job.kin.patches(sent), sent)
      : encodeEntries(job.files, sent);
  // The last part of the workspace is written together with the order: each write wakes every process on the way to the
  // agent.
  let last: Parts = [];
  for await (const parts of workspace) {
    if (last.length > 0) yield last;
    last = parts;
  }
  const rest = chunksOf(job.stdin ?? NONE).map((bytes) => encodeHostMessage({ type: 'stdin', bytes }));
  yield [...last, ...rest, encodeOrder(job)];
}

function encodeOrder({ command, argv, cwd, env, stdin, stdio, limits, egress }: SandboxJob): Buffer {
  const order = {
    command,
    cwd,
    env,
    timeout_ms: limits.wallMs,
    stdin: stdin !== undefined,
    output_bytes_max: tapBytesOf(limits),
    delta_bytes_max: limits.deltaBytes,
    delta_files_max: limits.deltaFiles,
    ...(egress === undefined ? {} : { proxy: true }),
    ...(stdio === undefined ? {} : { stdio: true }),
    ...(argv === undefined ? {} : { argv }),
  };
  if (Buffer.byteLength(JSON.stringify(order)) > HOST_FRAMES.job.bytesMax)
    throw new SandboxJobError('the command and its variables are too long');
  return encodeHostMessage({ type: 'job', job: order });
}
