// SPDX-License-Identifier: Apache-2.0
import type { ExecutionProfile } from '@writ/contract';
import { cannotStart } from '@writ/sandbox';
import { DangerousRunner } from './dangerous-runner.ts';
import type { Call, RunContext, Staged } from '../calls/runner.ts';
import { ScriptedKernel, tenantId } from '../specs/scripted-kernel.ts';

const PROFILE: ExecutionProfile = {
  shells: ['Bash', 'Git', 'PowerShell'],
  workspace_id: null,
  environment: { STAGE: 'test' },
  net: [],
  limits: { wall_ms: 1_000, memory_bytes: 64 * 1024 * 1024 },
};

let kernel: ScriptedKernel;
beforeEach(async () => {
  kernel = await new ScriptedKernel().start();
});
afterEach(() => kernel.close());

/**
 * Runs a raw command on these files with a program that ends as given; returns the staged result and the call that
 * reached the command runner.
 */
async function outcome(
  shell: string,
  command: string,
  files: Record<string, string> = {},
  ended: Partial<Staged> = {},
): Promise<{ staged: Staged; receivedCall: Call | null }> {
  let receivedCall: Call | null = null;
  const commands = {
    run: (call: Call) => {
      receivedCall = call;
      return Promise.resolve({
        ended: 'exited',
        exitCode: 0,
        error: null,
        delta: null,
        blobs: [],
        usage: {},
        result: { output: '' },
        ...ended,
      } as unknown as Staged);
    },
  };
  const call = {
    toolId: 'shell.dangerous',
    tenantId,
    args: { shell, command, profile: 'ops' },
    profile: PROFILE,
    env: {},
    root: await kernel.tree({ 'a.txt': 'x', ...files }),
    fs: [[{ path: '', read: true, write: true }]],
  } as unknown as Call;
  return { staged: await new DangerousRunner(commands, kernel.blobs).run(call, {} as RunContext), receivedCall };
}

describe('a raw command', () => {
  it('for Bash runs unchanged, with the variables of its profile', async () => {
    const { receivedCall } = await outcome('Bash', 'echo $STAGE; ls');
    expect([receivedCall?.args, receivedCall?.env, receivedCall?.program]).toEqual([
      { command: 'echo $STAGE; ls' },
      { STAGE: 'test' },
      undefined,
    ]);
  });

  it('for Git and PowerShell is split into a program and its arguments', async () => {
    expect((await outcome('Git', 'log "x y"')).receivedCall).toMatchObject({
      args: { command: '' },
      program: expect.arrayContaining(['git', 'log', 'x y']),
    });
    expect((await outcome('PowerShell', 'Get-Date; id')).receivedCall?.program?.slice(-2)).toEqual([
      '-EncodedCommand',
      Buffer.from('Get-Date; id', 'utf16le').toString('base64'),
    ]);
  });

  it('without a profile throws', async () => {
    await expect(
      new DangerousRunner({ run: () => Promise.reject(new Error('ran')) }, kernel.blobs).run(
        { args: { shell: 'Bash', command: 'ls' } } as unknown as Call,
        {} as RunContext,
      ),
    ).rejects.toThrow('without its execution profile');
  });

  it('for a missing PowerShell fails as unavailable, and one that exits with 126 itself does not', async () => {
    const gone = { exitCode: 126, result: { output: cannotStart('ENOENT') } };
    expect((await outcome('PowerShell', 'Get-Date', {}, gone)).staged).toMatchObject({
      ended: 'failed',
      error: { code: 'shell.unavailable' },
      delta: null,
    });
    expect((await outcome('Bash', 'exit 126', {}, gone)).staged).toMatchObject({ ended: 'exited', exitCode: 126 });
    expect((await outcome('PowerShell', 'exit 126', {}, { exitCode: 126 })).staged).toMatchObject({
      ended: 'exited',
      exitCode: 126,
    });
  });
});

describe('git', () => {
  it('runs in an ordinary repository and without a repository', async () => {
    for (const files of [
      {},
      {
        '.git/HEAD': 'ref: refs/heads/x\n',
        '.git/config': '[core]\n\trepositoryformatversion = 0\n[remote "origin"]\n\turl = https://example.com/x\n',
      },
    ] as Record<string, string>[])
      expect((await outcome('Git', 'status', files)).receivedCall).not.toBeNull();
  });

  it.each([
    ['a filter', { '.git/config': '[filter "x"]\n\tclean = evil\n' }],
    ['an alias', { '.git/config': '[alias]\n\tst = !evil\n' }],
    ['included settings', { '.git/config': '[include]\n\tpath = ../evil\n' }],
    ['settings of a worktree', { '.git/config.worktree': '' }],
    ['the settings of another repository', { '.git/commondir': '../evil' }],
    ['`.git` as a link to another folder', { '.git': 'gitdir: evil\n' }],
    ['oversized settings', { '.git/config': '#'.repeat(300_000) }],
  ] as const)('does not run in a repository with %s', async (_what, files) => {
    const { staged, receivedCall } = await outcome('Git', 'status', files as unknown as Record<string, string>);
    expect([receivedCall, staged.ended, staged.error?.code]).toEqual([null, 'failed', 'shell.unavailable']);
    // Bash runs anyway: a person approved it with everything that it finds.
    expect(
      (await outcome('Bash', 'git status', files as unknown as Record<string, string>)).receivedCall,
    ).not.toBeNull();
  });
});
