// SPDX-License-Identifier: Apache-2.0
//
// Raw commands under an execution profile: in a container as any command, within what the profile allows. INVARIANT
// (git runs git): before anything runs, the executor checks the snapshot for files of the repository that could make
// git start another program. If there are any, it doesn't start git.
import { blobReader, type BlobStore } from '@writ/blobs';
import { SHELL_DANGEROUS, type TenantId } from '@writ/contract';
import { rawJob, repositoryFault } from '@writ/mk8-shell/dangerous';
import { CANNOT_RUN, cannotStart } from '@writ/sandbox';
import { pacedReader } from './paced-reader.ts';
import { Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';
import { readableTree, type Tree } from './sandbox-entries.ts';

/** Settings of a repository are short; the executor trusts no longer ones. */
const CONFIG_BYTES_MAX = 256 * 1024;
/** Files that redirect git to settings elsewhere. */
const REDIRECTING_FILES = ['.git/config.worktree', '.git/commondir'] as const;
const PROGRAM_MISSING = cannotStart('ENOENT');

/** Runs `shell.dangerous`. */
export class DangerousRunner extends Runner {
  override readonly toolClass = 'sandboxed';
  override readonly toolId = SHELL_DANGEROUS.tool_id;
  readonly #commands: Pick<Runner, 'run'>;
  readonly #blobs: BlobStore;

  constructor(commands: Pick<Runner, 'run'>, blobs: BlobStore) {
    super();
    this.#commands = commands;
    this.#blobs = blobs;
  }

  override async run(call: Call, context: RunContext): Promise<Staged> {
    const { profile, args } = call;
    if (profile === undefined) throw new Error('a raw command was proven without its execution profile');
    const fault = args['shell'] === 'Git' ? await this.#repositoryFault(call) : null;
    if (fault !== null)
      return notStarted(
        'shell.unavailable',
        `git is not started here: ${fault}`,
        'remove that from the repository, or run the command in `Bash` under a profile that lets it',
      );
    const { program, env } = rawJob(args, profile);
    const commandArgs = {
      command: program === null ? args['command'] : '',
      ...(args['timeout_ms'] === undefined ? {} : { timeout_ms: args['timeout_ms'] }),
    };
    const staged = await this.#commands.run(
      { ...call, args: commandArgs, env: { ...call.env, ...env }, ...(program === null ? {} : { program }) },
      context,
    );
    if (args['shell'] !== 'PowerShell' || !isProgramMissing(staged)) return staged;
    return {
      ...staged,
      ended: 'failed',
      delta: null,
      blobs: [],
      error: {
        code: 'shell.unavailable',
        message: 'the image of the call has no `pwsh`',
        hint: 'have raw commands run in an image with PowerShell, or say it for `Bash`',
      },
    };
  }

  /** Why git would run another program or use settings elsewhere, in words for the caller; null where it wouldn't. */
  async #repositoryFault({ tenantId, root, fs }: Call): Promise<string | null> {
    const reader = pacedReader(blobReader(this.#blobs, tenantId as TenantId));
    const tree = await readableTree(reader, root, fs);
    const shape = layoutFault(tree);
    const config = tree.get('.git/config');
    if (shape !== null || config?.kind !== 'file') return shape;
    const fault = repositoryFault(Buffer.from(await reader(config.sha256)).toString('utf8'));
    return fault === null ? null : `the repository's settings ${fault}`;
  }
}

function layoutFault(tree: Tree): string | null {
  const [git, config] = [tree.get('.git'), tree.get('.git/config')];
  if (git !== undefined && git.kind !== 'dir')
    return '`.git` is no directory: repositories that lie elsewhere are not used';
  const redirecting = REDIRECTING_FILES.find((path) => tree.has(path));
  if (redirecting !== undefined) return `the repository's settings come from elsewhere, by \`${redirecting}\``;
  if (config === undefined) return null;
  return config.kind !== 'file' || config.size > CONFIG_BYTES_MAX ? '`.git/config` is no file of settings' : null;
}

/** Attacker-controlled output of the job: a PowerShell that fakes it only makes its own call fail. */
function isProgramMissing({ ended, exitCode, result }: Staged): boolean {
  return (
    ended === 'exited' &&
    exitCode === CANNOT_RUN &&
    (result as { readonly output?: unknown } | null)?.output === PROGRAM_MISSING
  );
}

const notStarted = (code: 'shell.unavailable', message: string, hint: string): Staged => ({
  ended: 'failed',
  exitCode: null,
  error: { code, message, hint },
  delta: null,
  blobs: [],
  result: { exit_code: null, signal: null, output: '', truncated_bytes: 0, wall_ms: 0 },
  usage: { wall_ms: 0, cpu_ms: 0, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0, egress_bytes: 0 },
});
