// SPDX-License-Identifier: Apache-2.0
import { hostWithFiles, problemsOf, run, SANDBOX } from '../specs/world.ts';
import { rulesOf } from '../rules/rules.ts';

const echo = (message: string, more: object = {}): object => ({ verb: 'Echo', args: [message], ...more });
const fail = (more: object = {}): object => ({ verb: 'Fail', args: ['no'], ...more });
const when = (kind: string, args: readonly string[], then: object, more: object = {}): object => ({
  verb: 'If',
  if: { predicate: { kind, args }, then },
  ...more,
});
const statuses = (steps: readonly { status: string }[]): string[] => steps.map(({ status }) => status);

describe('captures and $PREV', () => {
  it('are filled in, trimmed and never read for variables again', async () => {
    const { steps } = await run({
      operations: [
        echo('  $NOTHING  ', { captureAs: 'first' }),
        { verb: 'TextJoin', args: ['', '$', 'USER'], captureAs: 'TRICK' },
        echo('[$FIRST] $trick $TRICKY'),
      ],
    });
    expect(steps.at(-1)?.output).toBe('[$NOTHING] $USER $TRICKY');
  });

  it('$PREV is the output of the step before', async () => {
    const { steps } = await run({
      operations: [echo('a\n'), { verb: 'TextToUpper', args: ['$PREV'] }],
      options: { pipeStepOutput: true },
    });
    expect(steps[1]?.output).toBe('A\n');
  });

  it.each([
    ['../x', 'holds `..`'],
    ['/etc/passwd', 'must be inside the workspace'],
    ['.git/config', '`.git` can be changed by git alone'],
    ['rm -rf / ', 'blacklisted'],
    ['', 'is a directory'],
  ])('a path of %j is judged when it is filled in', async (value, message) => {
    const host = hostWithFiles();
    const { steps } = await run(
      {
        operations: [
          { verb: 'TextUrlDecode', args: [encodeURIComponent(value)], captureAs: 'P' },
          { verb: 'FileWrite', args: ['$P', 'x'] },
        ],
      },
      host,
    );
    expect([steps[1]?.status, steps[1]?.error]).toEqual(['failed', expect.stringContaining(message) as unknown]);
    expect(host.files.touched.filter(({ how }) => how === 'write')).toEqual([]);
  });

  it('the source of a template is judged as arguments are, before and when it is filled in', async () => {
    const template = (source: string): object => ({
      verb: 'FileTemplate',
      args: ['x.txt'],
      template: { source, values: {} },
    });
    expect(problemsOf({ operations: [template('.aws/credentials')] })).toEqual([
      expect.stringContaining('is blacklisted'),
    ]);
    const { steps } = await run({ operations: [echo('.aws', { captureAs: 'P' }), template('$P/credentials')] });
    expect(steps[1]?.error).toContain('is blacklisted');
  });

  it.each(['http://127.0.0.1/', 'http://example.com:22/', 'file:///etc/passwd'])(
    'a URL of %s is judged when it is filled in',
    async (value) => {
      const host = hostWithFiles();
      const { steps } = await run(
        { operations: [echo(value, { captureAs: 'U' }), { verb: 'HttpGet', args: ['$U'] }] },
        host,
      );
      expect([steps[1]?.status, host.net.connected]).toEqual(['failed', []]);
    },
  );

  it('a word of a command is judged when it is filled in', async () => {
    const host = hostWithFiles();
    const { steps } = await run(
      { operations: [echo('main', { captureAs: 'B' }), { verb: 'ProcRun', args: ['git', 'switch', '$B'] }] },
      host,
    );
    expect([steps[1]?.error, host.process.commands]).toEqual([expect.stringContaining('is a protected branch'), []]);
  });
});

describe('taint', () => {
  const status = { verb: 'ProcRun', args: ['git', 'status'], captureAs: 'OUT' };
  it('output of a process is refused as a part of a command, by the compiler', () => {
    expect(problemsOf({ operations: [status, { verb: 'ProcRun', args: ['git', 'switch', '$OUT'] }] })).toEqual([
      expect.stringContaining('output of a process'),
    ]);
    expect(
      problemsOf({
        operations: [
          status,
          { verb: 'TextTrim', args: ['$OUT'], captureAs: 'T' },
          { verb: 'ProcRun', args: ['git', 'switch', '$T'] },
        ],
      }),
    ).toHaveLength(1);
    expect(
      problemsOf({
        operations: [status, { verb: 'ProcRun', args: ['git', 'switch', '$PREV'] }],
        options: { pipeStepOutput: true },
      }),
    ).toEqual([expect.stringContaining('`$PREV` can be no part')]);
  });

  it.each([
    ['$PREV and a verb of text', [{ verb: 'TextTrim', args: ['$PREV'], captureAs: 'T' }]],
    [
      'a file that was written',
      [
        { verb: 'FileWrite', args: ['x.txt', '$OUT'] },
        { verb: 'FileRead', args: ['x.txt'], captureAs: 'T' },
      ],
    ],
    ['a file that the process wrote', [{ verb: 'FileRead', args: ['a.txt'], captureAs: 'T' }]],
  ])('is found through %s when it runs', async (_, between) => {
    const host = hostWithFiles();
    host.process.answer = () => ({ exit: 0, stdout: 'feature/x', stderr: '' });
    const { steps } = await run(
      {
        operations: [status, ...between, { verb: 'ProcRun', args: ['git', 'switch', '$T'] }],
        options: { pipeStepOutput: true },
      },
      host,
    );
    expect([steps.at(-1)?.error, host.process.commands.length]).toEqual([
      expect.stringContaining('output of a process'),
      1,
    ]);
  });
});

describe('If at run time', () => {
  it.each([
    ['PrevContains', ['LL'], true],
    ['PrevContains', ['x'], false],
    ['PrevEmpty', [], false],
    ['PrevStartsWith', ['HE'], true],
    ['PrevEndsWith', ['LO'], true],
    ['PrevEquals', ['hello'], true],
    ['PrevMatch', ['^H.*o$'], true],
    ['PrevLineCount', ['eq', '1'], true],
    ['PrevLineCount', ['gt', '1'], false],
    ['PrevLineCount', ['LTE', '1'], true],
    ['CaptureEmpty', ['c'], false],
    ['CaptureContains', ['C', 'ELL'], true],
    ['EnvEquals', ['greeting', 'HI'], true],
    ['EnvEquals', ['nothing', 'x'], false],
    ['FileExists', ['a.txt'], true],
    ['FileExists', ['src'], false],
    ['DirExists', ['src'], true],
  ] as const)('%s %j is %s', async (kind, args, holds) => {
    const { steps } = await run({ operations: [echo('Hello', { captureAs: 'C' }), when(kind, args, echo('yes'))] });
    expect(steps[1]?.status).toBe(holds ? 'ok' : 'skipped');
  });

  it('is evaluated at run time, and once for all of its steps', async () => {
    const { steps } = await run({
      operations: [
        { verb: 'FileDelete', args: ['a.txt'] },
        when('FileExists', ['a.txt'], echo('no')),
        when('PrevContains', ['deleted'], { verb: 'ForEach', forEach: { items: ['1', '2'], body: echo('$ITEM') } }),
      ],
    });
    expect(statuses(steps)).toEqual(['ok', 'skipped', 'ok', 'ok']);
  });

  it('a capture of a skipped step is empty', async () => {
    const { steps } = await run({
      operations: [
        when('FileExists', ['absent'], echo('x'), { captureAs: 'C' }),
        when('CaptureEmpty', ['C'], echo('[$C]')),
      ],
    });
    expect(steps[1]?.output).toBe('[]');
  });
});

describe('failures', () => {
  it('StopOnFirstError runs nothing more', async () => {
    const result = await run({ operations: [fail(), echo('x')] });
    expect([result.status, result.all_succeeded, statuses(result.steps)]).toEqual([
      'failed',
      false,
      ['failed', 'not_run'],
    ]);
  });

  it('ContinueOnError reaches the end, and reports that not all steps succeeded', async () => {
    const result = await run({ operations: [fail(), echo('x')], options: { failureMode: 'ContinueOnError' } });
    expect([result.status, result.all_succeeded, statuses(result.steps)]).toEqual([
      'completed',
      false,
      ['failed', 'ok'],
    ]);
  });

  it('StopAndCleanup runs all of the cleanup, whatever fails in it, and only then', async () => {
    const script = (operation: object): { operations: readonly unknown[] } =>
      ({
        operations: [echo('kept', { captureAs: 'C' }), operation, echo('x')],
        cleanup: [fail(), echo('$C')],
        options: { failureMode: 'StopAndCleanup' },
      }) as never;
    const failed = await run(script(fail()));
    expect([failed.status, statuses(failed.steps), statuses(failed.cleanup), failed.cleanup[1]?.output]).toEqual([
      'failed',
      ['ok', 'failed', 'not_run'],
      ['failed', 'ok'],
      'kept',
    ]);
    expect(statuses((await run(script(echo('y')))).cleanup)).toEqual(['not_run', 'not_run']);
  });

  it('goto overrides the failure mode, and skips the steps in between', async () => {
    const result = await run({
      operations: [fail({ onFailure: 'goto:end' }), echo('between'), echo('x', { label: 'end' })],
    });
    expect([result.status, result.all_succeeded, statuses(result.steps)]).toEqual([
      'completed',
      false,
      ['failed', 'skipped', 'ok'],
    ]);
  });

  it('a step that a rule forbids is not retried', async () => {
    const { steps } = await run({
      operations: [echo('/x', { captureAs: 'P' }), { verb: 'FileRead', args: ['$P'], maxRetries: 3 }],
    });
    expect(steps[1]?.attempts).toBe(1);
  });
});

describe('attempts', () => {
  it('are one more than maxRetries, with delays that double', async () => {
    const host = hostWithFiles();
    const { steps } = await run({ operations: [fail({ maxRetries: 3 })], options: { retryDelay: '00:00:01' } }, host);
    expect([steps[0]?.attempts, host.clock.slept, steps[0]?.durationMs]).toEqual([4, [1000, 2000, 4000], 7000]);
  });

  it('end with the first that succeeds', async () => {
    const host = hostWithFiles();
    let calls = 0;
    host.process.answer = () => ({ exit: ++calls < 3 ? 1 : 0, stdout: 'done', stderr: 'not yet\n' });
    const { steps, status } = await run(
      { operations: [{ verb: 'ProcRun', args: ['npm', 'test'], maxRetries: 5 }] },
      host,
    );
    expect([status, steps[0]?.attempts, steps[0]?.output]).toEqual(['completed', 3, 'done']);
  });

  it('end at the timeout of the step, whether or not the host notices', async () => {
    const host = hostWithFiles();
    host.process.answer = () => new Promise(() => undefined);
    const { steps, status } = await run(
      { operations: [{ verb: 'ProcRun', args: ['npm', 'test'], stepTimeout: '00:00:05' }, echo('x')] },
      host,
    );
    expect([status, steps[0]?.status, steps[0]?.error, steps[0]?.durationMs]).toEqual([
      'failed',
      'timeout',
      'it took longer than 5 s',
      5000,
    ]);
  });

  it('end with the time of the script, delays between them included', async () => {
    const host = hostWithFiles();
    const result = await run(
      {
        operations: [{ verb: 'Sleep', args: ['3'] }, fail({ maxRetries: 9 }), echo('x')],
        options: { scriptTimeout: '00:00:10' },
      },
      host,
    );
    expect([result.status, statuses(result.steps), result.durationMs]).toEqual([
      'timeout',
      ['ok', 'timeout', 'not_run'],
      10_000,
    ]);
  });

  it('cleanup has a separate time limit', async () => {
    const result = await run({
      operations: [{ verb: 'Sleep', args: ['5'] }],
      cleanup: [{ verb: 'Sleep', args: ['1'] }],
      options: { failureMode: 'StopAndCleanup', scriptTimeout: '00:00:02' },
    });
    expect([result.status, statuses(result.steps), statuses(result.cleanup)]).toEqual(['timeout', ['timeout'], ['ok']]);
  });
});

describe('results', () => {
  it('keep the head of an output and report how much was cut', async () => {
    const { steps } = await run({
      operations: [echo('ééééé', { captureAs: 'C' }), echo('$C')],
      options: { maxOutputBytes: 5 },
    });
    expect(steps.map(({ output }) => output)).toEqual(['éé\n[truncated: 6 of 10 bytes were cut]', 'éé']);
  });

  it('keep the head of an error', async () => {
    const { steps } = await run({
      operations: [{ verb: 'Fail', args: ['a'.repeat(20)] }],
      options: { maxErrorBytes: 4 },
    });
    expect(steps[0]?.error).toBe('aaaa\n[truncated: 16 of 20 bytes were cut]');
  });

  it('a failed command reports its output and its error', async () => {
    const host = hostWithFiles();
    host.process.answer = () => ({ exit: 2, stdout: 'partly', stderr: 'broken\n' });
    const { steps } = await run({ operations: [{ verb: 'ProcRun', args: ['npm', 'test'] }] }, host);
    expect(steps[0]).toMatchObject({
      verb: 'ProcRun',
      status: 'failed',
      attempts: 1,
      output: 'partly',
      error: '`npm` ended with 2: broken',
    });
  });
});

describe('links', () => {
  it.each(['/etc', '../..', 'loop'])('a link to %s is refused by every verb', async (target) => {
    for (const [verb, args] of [
      ['FileRead', ['loop/x']],
      ['FileWrite', ['loop/x', '']],
      ['DirList', ['loop']],
      ['FileExists', ['loop']],
      ['DirDelete', ['loop/x']],
      ['FileCopy', ['a.txt', 'loop/x']],
      ['ProcRun', ['cat', 'loop/x']],
      ['ArchiveExtract', ['a.zip', 'loop']],
    ] as const) {
      const host = hostWithFiles();
      host.files.link('loop', target);
      const { steps } = await run({ operations: [{ verb, args }] }, host);
      expect([verb, steps[0]?.error]).toEqual([verb, expect.stringContaining('leads out of the workspace')]);
      expect(host.process.commands).toEqual([]);
    }
  });

  it('a link to `.git`, or to a blocked name, is judged by its target', async () => {
    const host = hostWithFiles();
    host.files.plant('.git/config', '');
    host.files.plant('Makefile', '');
    host.files.link('innocent', '.git');
    host.files.link('notes.txt', 'Makefile');
    for (const path of ['innocent/config', 'notes.txt'])
      expect((await run({ operations: [{ verb: 'FileWrite', args: [path, 'x'] }] }, host)).status).toBe('failed');
  });

  it('deleting a link deletes the link', async () => {
    const host = hostWithFiles();
    host.files.link('shortcut', 'src');
    expect((await run({ operations: [{ verb: 'FileDelete', args: ['shortcut'] }] }, host)).status).toBe('completed');
    expect([host.files.has('shortcut'), host.files.has('src/readme.md')]).toEqual([false, true]);
  });

  it('a directory that holds `.git` is not deleted', async () => {
    const host = hostWithFiles();
    host.files.plant('sub/repo/.git/HEAD', '');
    expect((await run({ operations: [{ verb: 'DirDelete', args: ['sub'] }] }, host)).steps[0]?.error).toContain(
      'holds `.git`',
    );
    expect(host.files.has('sub/repo/.git/HEAD')).toBe(true);
  });
});

test('a name whose addresses are not all public is not connected to', async () => {
  const host = hostWithFiles();
  host.net.names.set('rebind.example.com', ['93.184.216.34', '10.0.0.1']);
  for (const [verb, args] of [
    ['HttpGet', ['http://rebind.example.com/']],
    ['NetPing', ['rebind.example.com']],
    ['NetTcpConnect', ['rebind.example.com', '80']],
    ['NetTlsCert', ['rebind.example.com']],
    ['NetDns', ['rebind.example.com']],
    ['HttpLatency', ['http://rebind.example.com']],
  ] as const) {
    expect((await run({ operations: [{ verb, args }] }, host)).steps[0]?.error).toContain(
      'no address of the public Internet',
    );
  }
  expect(host.net.connected).toEqual([]);
});

test('the rules that a sandbox adds are enforced', async () => {
  const rules = rulesOf({
    blacklist: [{ id: 'own.word', kind: 'word', pattern: 'frobnicate', scope: 'everywhere', reason: 'frobnicates' }],
    write_blocked: { names: ['NOTES'], extensions: ['.foo'] },
  });
  const sandbox = { ...SANDBOX, rules };
  expect(problemsOf({ operations: [echo('Frobnicate it')] }, sandbox)).toHaveLength(1);
  expect(problemsOf({ operations: [echo('frobnicated')] }, sandbox)).toEqual([]);
  expect(
    problemsOf(
      {
        operations: [
          { verb: 'FileWrite', args: ['a/notes', ''] },
          { verb: 'FileWrite', args: ['a.foo', ''] },
        ],
      },
      sandbox,
    ),
  ).toHaveLength(2);
});
