// SPDX-License-Identifier: Apache-2.0
import { compileText } from './compile.ts';
import { compiled, problemsOf, problemsOfOne, SANDBOX } from '../specs/world.ts';

const echo = (message: string, more: object = {}): object => ({ verb: 'Echo', args: [message], ...more });
const forEach = (items: readonly string[], body: object): object => ({ verb: 'ForEach', forEach: { items, body } });
const when = (kind: string, args: readonly string[], then: object): object => ({
  verb: 'If',
  if: { predicate: { kind, args }, then },
});
const argsOf = (script: { operations: readonly unknown[] }): string[] =>
  compiled(script).steps.map(({ args }) =>
    args
      .flat()
      .map((part) => ('text' in part ? part.text : ''))
      .join(),
  );

describe('all problems are reported at once', () => {
  it('with pointer, line and column', () => {
    const text =
      '{\n  "operations": [\n    {"verb": "FileRead", "args": ["../x"]},\n    {"verb": "Nope", "args": []},\n    {"verb": "Echo", "args": ["$PREV"], "onFailure": "goto:x"}\n  ]\n}';
    expect(compileText(text, SANDBOX).problems).toEqual([
      { pointer: '/operations/0/args/0', message: '`path` holds `..`, which leads out', line: 3, column: 35 },
      { pointer: '/operations/1/verb', message: 'there is no verb `Nope`', line: 4, column: 14 },
      {
        pointer: '/operations/2/args/0',
        message: '`$PREV` has a value only with the option `pipeStepOutput`',
        line: 5,
        column: 31,
      },
      { pointer: '/operations/2/onFailure', message: 'there is no label `x`', line: 5, column: 54 },
    ]);
  });

  it('for text that is no JSON, and for JSON of another shape', () => {
    expect(compileText('{"operations": [}', SANDBOX).problems.length).toBeGreaterThan(0);
    expect(compileText('', SANDBOX).problems.length).toBeGreaterThan(0);
    expect(
      compileText('{"operations":[{"verb":"Echo","args":["a"],"nope":1},{"args":[]}],"extra":1}', SANDBOX).problems.map(
        ({ pointer }) => pointer,
      ),
    ).toEqual(expect.arrayContaining(['/operations/0/nope', '/operations/1', '/extra']));
    expect(
      compileText('{"operations":[],"operations":[{"verb":"SysDate"}]}', SANDBOX).problems.map(
        ({ message }) => message,
      ),
    ).toContain('the key `operations` is given twice');
  });

  it('and depth and length are bounded', () => {
    expect(compileText('['.repeat(200_000), SANDBOX).problems[0]?.message).toMatch(/nested more than 32 deep/);
    expect(compileText(' '.repeat(9_000_000), SANDBOX).problems[0]?.message).toMatch(/longer than 8388608 bytes/);
  });
});

describe('expansion', () => {
  it('puts the body of a ForEach in place for each item, with $ITEM and $INDEX', () => {
    expect(argsOf({ operations: [forEach(['a', 'b'], echo('$INDEX:$item $ITEMS'))] })).toEqual([
      '0:a $ITEMS',
      '1:b $ITEMS',
    ]);
  });

  it('puts the operations of a fragment in place of an Include', () => {
    expect(argsOf({ operations: [{ verb: 'Include', args: ['greet'] }] })).toEqual(['hello from a fragment']);
    expect(problemsOf({ operations: [{ verb: 'Include', args: ['nope'] }] })).toEqual([
      '/operations/0/args/0: there is no fragment `nope`',
    ]);
  });

  it('judges the operations of a fragment, and ends one that includes itself', () => {
    expect(problemsOf({ operations: [{ verb: 'Include', args: ['bad'] }] })).toEqual([
      expect.stringContaining('must be inside the workspace') as unknown,
    ]);
    expect(problemsOf({ operations: [{ verb: 'Include', args: ['loop'] }] })).toEqual([
      expect.stringContaining('3 deep') as unknown,
    ]);
  });

  it('splits batches', () => {
    expect(
      compiled({ operations: [{ verb: 'FileWriteMany', args: ['a', '1', 'b', '2'] }] }).steps.map(
        ({ verb }) => verb.name,
      ),
    ).toEqual(['FileWrite', 'FileWrite']);
    expect(problemsOf({ operations: [{ verb: 'FileWriteMany', args: ['a', '1', 'Makefile', '2'] }] })).toEqual([
      "/operations/0/args/2: `path` files called `Makefile` can't be written: they make something run",
    ]);
  });

  it('has no ForEach in a ForEach, and no label or capture in one', () => {
    expect(problemsOf({ operations: [forEach(['a'], forEach(['b'], echo('x')))] })).toEqual([
      "/operations/0/forEach/body/verb: a ForEach can't stand in a ForEach",
    ]);
    expect(problemsOf({ operations: [forEach(['a'], echo('x', { label: 'l', captureAs: 'C' }))] })).toHaveLength(2);
    expect(
      problemsOf({ operations: [forEach(['a'], when('PrevEmpty', [], echo('x', { captureAs: 'C' })))] }),
    ).toHaveLength(1);
  });

  it('is three deep at most', () => {
    const nest = (depth: number): object => (depth === 0 ? echo('x') : when('PrevEmpty', [], nest(depth - 1)));
    expect(problemsOf({ operations: [nest(3)] })).toEqual([]);
    expect(problemsOf({ operations: [nest(4)] })).toEqual([expect.stringContaining('3 deep') as unknown]);
  });

  it('counts 1,024 operations and cleanup once expanded', () => {
    const many = (count: number): object[] => Array.from({ length: count }, () => echo('x'));
    const loop = forEach(
      Array.from({ length: 256 }, () => 'x'),
      echo('x'),
    );
    const options = { failureMode: 'StopAndCleanup' };
    expect(problemsOf({ operations: [loop, loop, loop], cleanup: many(256), options })).toEqual([]);
    expect(problemsOf({ operations: [loop, loop, loop], cleanup: many(257), options })).toEqual([
      '/cleanup/256: from here on it is more than 1024 operations, once everything is expanded',
    ]);
    expect(
      problemsOf({
        operations: [
          forEach(
            Array.from({ length: 257 }, () => 'x'),
            echo('x'),
          ),
        ],
      }),
    ).toEqual([expect.stringContaining('/operations/0/forEach/items') as unknown]);
  });

  it('needs the field of a verb, and refuses it elsewhere', () => {
    expect(problemsOfOne({ verb: 'FileTemplate', args: ['a'] })).toEqual([
      '/operations/0: FileTemplate needs `template`',
    ]);
    expect(problemsOfOne({ verb: 'Echo', args: ['a'], patches: [{ find: 'a', replace: 'b' }] })).toEqual([
      '/operations/0/patches: `patches` belongs to FilePatch',
    ]);
  });
});

describe('captures and labels', () => {
  it.each(['PREV', 'item', 'Workspace', 'USER', 'cwd', 'INDEX', 'GREETING'])("can't be called %s", (captureAs) => {
    expect(problemsOfOne({ verb: 'Echo', args: ['x'], captureAs })).toHaveLength(1);
  });

  it('are sixteen at most, each name once whatever its case', () => {
    const capturing = (names: readonly string[]): string[] =>
      problemsOf({ operations: names.map((captureAs) => echo('x', { captureAs })) });
    const names = Array.from({ length: 17 }, (_, n) => `C${n}`);
    expect(capturing(names.slice(1))).toEqual([]);
    expect(capturing(names)).toEqual(['/operations/16/captureAs: a script has at most 16 captures']);
    expect(capturing(['A', 'a'])).toEqual([
      '/operations/1/captureAs: `A` is captured already; case makes no difference',
    ]);
  });

  it('goto leads forward, to a unique label', () => {
    expect(problemsOf({ operations: [echo('a', { label: 'x' }), echo('b', { onFailure: 'goto:x' })] })).toEqual([
      expect.stringContaining('forward alone') as unknown,
    ]);
    expect(problemsOf({ operations: [echo('a', { label: 'x' }), echo('b', { label: 'x' })] })).toEqual([
      '/operations/1/label: the label `x` stands twice',
    ]);
    expect(
      compiled({ operations: [echo('a', { onFailure: 'goto:x' }), echo('b', { label: 'x' })] }).steps[0]?.goto,
    ).toBe(1);
  });
});

describe('paths', () => {
  it.each([
    '/etc/passwd',
    '/workspace/a',
    '../a',
    'a/../b',
    '$WORKSPACE/../a',
    '$WORKSPACEa/../x',
    'a\\..\\b',
    'C:\\x',
    '~/x',
    'a\0b',
    '$WORKSPACE$WORKSPACE',
    'x$CWD',
  ])('%j is refused', (path) => {
    expect(problemsOfOne({ verb: 'FileRead', args: [path] })).toHaveLength(1);
  });

  it.each(['a', './a', '$WORKSPACE', '$workspace/a', '$CWD/a//b', '', '$WORKSPACE/..a'])('%j is accepted', (path) => {
    expect(problemsOfOne({ verb: 'FileRead', args: [path] })).toEqual([]);
  });

  it.each([
    ['FileWrite', ['.git/config', 'x']],
    ['FileWrite', ['a/.GIT/hooks/x', 'x']],
    ['FileMove', ['.git/HEAD', 'x']],
    ['DirDelete', ['.git']],
    ['DirCreate', ['.git']],
    ['FileDelete', ['.git./x']],
    ['DirDelete', ['$WORKSPACE']],
    ['FileWrite', ['x.EXE', '']],
    ['FileWrite', ['x.js. ', '']],
    ['FileWrite', ['sub/dockerfile', '']],
    ['FileCopy', ['a', 'b.csproj']],
    ['FileMove', ['a', '.npmrc']],
    ['FileTemplate', ['x.sln']],
  ] as const)('%s %j is refused', (verb, args) => {
    expect(
      problemsOfOne({ verb, args, ...(verb === 'FileTemplate' ? { template: { source: 'a', values: {} } } : {}) }),
    ).toHaveLength(1);
  });

  it('with a capture is judged by its form', () => {
    expect(
      problemsOf({ operations: [echo('a', { captureAs: 'A' }), { verb: 'FileRead', args: ['$A/../x'] }] }),
    ).toHaveLength(1);
    expect(
      problemsOf({ operations: [echo('a', { captureAs: 'A' }), { verb: 'FileRead', args: ['/$A'] }] }),
    ).toHaveLength(1);
    expect(problemsOf({ operations: [echo('a', { captureAs: 'A' }), { verb: 'FileRead', args: ['$A/x'] }] })).toEqual(
      [],
    );
  });
});

describe('network', () => {
  it.each([
    'ftp://example.com/',
    'https://example.com:8443/',
    'https://example.com:80/',
    'http://example.com:443/',
    'http://localhost/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
    'http://a:b@example.com/',
    'http://intranet/',
    'http://a.internal/',
    'example.com',
    'http://127.1/',
    'http://localhost./',
  ])('%s is refused', (url) => {
    for (const verb of ['HttpGet', 'HttpDelete', 'NetHttpStatus', 'HttpLatency', 'OpenUrl'])
      expect(problemsOfOne({ verb, args: [url] })).toHaveLength(1);
  });

  it.each(['localhost', '10.1.2.3', '::1', 'metadata.google.internal', '2130706433', '0x7f000001', 'a b', 'foo/bar'])(
    'the host %s is refused',
    (host) => {
      for (const verb of ['NetPing', 'NetDns', 'NetTlsCert'])
        expect(problemsOfOne({ verb, args: [host] })).toHaveLength(1);
      expect(problemsOfOne({ verb: 'NetTcpConnect', args: [host, '22'] })).toHaveLength(1);
    },
  );
});

describe('predicates', () => {
  it.each([
    ['PrevLineCount', ['about', '3']],
    ['PrevLineCount', ['eq', 'x']],
    ['CaptureEmpty', ['NOPE']],
    ['FileExists', ['/etc']],
    ['DirExists', ['..']],
    ['PrevMatch', ['(']],
    ['PrevEmpty', ['x']],
    ['EnvEquals', ['a']],
    ['PrevContains', []],
  ])('%s %j is refused', (kind, args) => {
    expect(problemsOf({ operations: [when(kind, args, echo('x'))] })).toHaveLength(1);
  });
});

describe('options', () => {
  it.each([
    [{ stepTimeout: '2 minutes' }],
    [{ maxRetries: -1 }],
    [{ failureMode: 'Whatever' }],
    [{ stepTimeout: '00:00:00' }],
    [{ scriptTimeout: '1.01:00:00' }],
    [{ nope: 1 }],
  ])('%j is refused', (options) => {
    expect(problemsOf({ operations: [{ verb: 'SysDate' }], options })).toHaveLength(1);
  });

  it('that are left out keep their defaults', () => {
    expect(compiled({ operations: [{ verb: 'SysDate' }], options: { maxRetries: 2 } } as never).options).toEqual({
      maxRetries: 2,
      retryDelayMs: 2000,
      stepTimeoutMs: 30_000,
      scriptTimeoutMs: 300_000,
      failureMode: 'StopOnFirstError',
      maxOutputBytes: 1_048_576,
      maxErrorBytes: 262_144,
      pipeStepOutput: false,
    });
  });

  it('cleanup needs its failure mode', () => {
    expect(problemsOf({ operations: [{ verb: 'SysDate' }], cleanup: [{ verb: 'SysDate' }] })).toEqual([
      '/cleanup: never runs: it needs the failure mode `StopAndCleanup`',
    ]);
  });
});

describe('effects', () => {
  it('are known as data before anything runs', () => {
    expect(
      compiled({
        operations: [
          { verb: 'FileCopy', args: ['a', '$WORKSPACE/b/c'] },
          { verb: 'HttpGet', args: ['https://Example.com/x'] },
          { verb: 'ProcRun', args: ['wc', '-l', 'a'] },
          { verb: 'DirDelete', args: ['tmp'], captureAs: 'T' },
          { verb: 'FileRead', args: ['$T'] },
        ],
      }).effects,
    ).toEqual({
      reads: ['a'],
      writes: ['b/c'],
      deletes: ['tmp'],
      hosts: ['example.com'],
      requests: [{ method: 'CONNECT', url: 'https://example.com/x' }],
      templates: ['text.wc'],
      open: ['/operations/4/args/0'],
      network: true,
      process: true,
      category: 'write',
    });
  });

  it.each([
    [{ verb: 'FileRead', args: ['a'] }, 'read'],
    [{ verb: 'ProcRun', args: ['git', 'status'] }, 'read'],
    [{ verb: 'NetDns', args: ['example.com'] }, 'write'],
    [{ verb: 'DirCreate', args: ['a'] }, 'write'],
    [{ verb: 'ProcRun', args: ['git', 'add', '.'] }, 'write'],
  ])('%j is %s', (operation, category) => {
    expect(compiled({ operations: [operation] }).effects.category).toBe(category);
  });
});
