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

/** What becomes of a raw command on those files, whose program ends so. */
async function outcome(
  shell: string,
  command: string,
  files: Record<string, string> = {},
  ended: Partial<Staged> = {},
): Promise<{ staged: Staged; asked: Call | null }> {
  let asked: Call | null = null;
  const commands = {
    run: (call: Call) => {
      asked = call;
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
  return { staged: await new DangerousRunner(commands, kernel.blobs).run(call, {} as RunContext), asked };
}

describe('a raw command', () => {
  it("is bash's as it was written, with the variables of its profile and no arguments of its own", async () => {
    const { asked } = await outcome('Bash', 'echo $STAGE; ls');
    expect([asked?.args, asked?.env, asked?.program]).toEqual([
      { command: 'echo $STAGE; ls' },
      { STAGE: 'test' },
      undefined,
    ]);
  });

  it("is a program's where no shell is to read it", async () => {
    expect((await outcome('Git', 'log "x y"')).asked).toMatchObject({
      args: { command: '' },
      program: expect.arrayContaining(['git', 'log', 'x y']),
    });
    expect((await outcome('PowerShell', 'Get-Date; id')).asked?.program?.slice(-2)).toEqual([
      '-Command',
      'Get-Date; id',
    ]);
  });

  it('is not run without a profile', async () => {
    await expect(
      new DangerousRunner({ run: () => Promise.reject(new Error('ran')) }, kernel.blobs).run(
        { args: { shell: 'Bash', command: 'ls' } } as unknown as Call,
        {} as RunContext,
      ),
    ).rejects.toThrow('without its execution profile');
  });

  it('for a PowerShell that is not there says so; one that ends so by itself has failed', async () => {
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
  it('is started in a repository that git itself made, and where there is none', async () => {
    for (const files of [
      {},
      {
        '.git/HEAD': 'ref: refs/heads/x\n',
        '.git/config': '[core]\n\trepositoryformatversion = 0\n[remote "origin"]\n\turl = https://example.com/x\n',
      },
    ] as Record<string, string>[])
      expect((await outcome('Git', 'status', files)).asked).not.toBeNull();
  });

  it.each([
    ['a filter', { '.git/config': '[filter "x"]\n\tclean = evil\n' }],
    ['an alias', { '.git/config': '[alias]\n\tst = !evil\n' }],
    ['settings from elsewhere', { '.git/config': '[include]\n\tpath = ../evil\n' }],
    ['settings of a worktree', { '.git/config.worktree': '' }],
    ["another one's settings", { '.git/commondir': '../evil' }],
    ['its place elsewhere', { '.git': 'gitdir: evil\n' }],
    ['settings of no end', { '.git/config': '#'.repeat(300_000) }],
  ] as const)('is not started in a repository with %s', async (_what, files) => {
    const { staged, asked } = await outcome('Git', 'status', files as unknown as Record<string, string>);
    expect([asked, staged.ended, staged.error?.code]).toEqual([null, 'failed', 'shell.unavailable']);
    // Bash is what a person let run, with all that it finds.
    expect((await outcome('Bash', 'git status', files as unknown as Record<string, string>)).asked).not.toBeNull();
  });
});
