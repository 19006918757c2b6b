// SPDX-License-Identifier: Apache-2.0
import { hostWithFiles, problemsOf, run } from '../specs/world.ts';

describe('the logs of a run', () => {
  it('have a line for each step that ended, with its failure', async () => {
    const { steps } = await run({
      options: { failureMode: 'ContinueOnError' },
      operations: [
        { verb: 'Echo', args: ['one'] },
        { verb: 'Fail', args: ['no\nmore'], maxRetries: 1 },
        {
          verb: 'If',
          if: { predicate: { kind: 'FileExists', args: ['absent'] }, then: { verb: 'Echo', args: ['x'] } },
        },
        { verb: 'SysLogRead', args: ['script'] },
        { verb: 'SysLogRead', args: ['Script', '1', 'FAIL'] },
      ],
    });
    const [first, second, ...more] = (steps[3]?.output ?? '').split('\n');
    expect(first).toMatch(/^2026-01-02T03:04:05\.000Z Echo \(\/operations\/0\) ok in 0 ms$/);
    expect(second).toMatch(/^2026-\S+Z Fail \(\/operations\/1\) failed in \d+ ms, 2 attempts: no more$/);
    expect(more).toEqual([]);
    expect(steps[4]?.output).toBe(second);
  });

  it('have a line for each program, with how it ended', async () => {
    const host = hostWithFiles();
    host.process.answer = ({ argv }) =>
      argv.includes('log')
        ? Promise.reject(new Error('the command was ended'))
        : { exit: argv.includes('diff') ? 3 : 0, stdout: '', stderr: '' };
    const git = (...args: string[]) => ({ verb: 'ProcRun', args: ['git', ...args] });
    const { steps } = await run(
      {
        options: { failureMode: 'ContinueOnError' },
        operations: [git('status'), git('diff'), git('log'), { verb: 'SysLogRead', args: ['processes'] }],
      },
      host,
    );
    expect(
      (steps[3]?.output ?? '').split('\n').map((line) => line.replace(/^\S+Z /, '').replace(/: git .*/, '')),
    ).toEqual(['exit 0', 'exit 3', 'did not end by itself']);
  });

  it('never become a part of a command after a program ran', async () => {
    const { steps } = await run({
      operations: [
        { verb: 'ProcRun', args: ['git', 'status'] },
        { verb: 'SysLogRead', args: ['processes'], captureAs: 'LOG' },
        { verb: 'ProcRun', args: ['git', 'add', '$LOG'] },
      ],
    });
    expect(steps[2]).toMatchObject({ status: 'failed', error: expect.stringContaining('output of a process') });
  });
});

test('the last text that ClipboardSet sets is the clipboard of the result', async () => {
  const set = (text: string) => ({ verb: 'ClipboardSet', args: [text] });
  expect((await run({ operations: [set('one'), set('two'), { verb: 'Echo', args: ['x'] }] })).clipboard).toBe('two');
  expect((await run({ operations: [{ verb: 'Echo', args: ['x'] }] })).clipboard).toBeNull();
  expect(problemsOf({ operations: [set('x')] })).toEqual([]);
});
