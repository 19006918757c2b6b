// SPDX-License-Identifier: Apache-2.0
import { LIMITS, MK8_RUN, definitionForDigest } from '@writ/contract';
import { SANDBOX } from '../specs/world.ts';
import { mayListSkills, sandboxNameOf, scriptTool, toolWithin } from './script-tool.ts';

const tool = scriptTool(SANDBOX);
const op = (verb: string, ...args: string[]) => ({ verb, args });
const argsOf = (...operations: object[]) => ({ script: { operations } });

describe('the tool that runs scripts', () => {
  it('means the same whatever the rules are, and something else in each registered sandbox, by its digest alone', () => {
    expect(definitionForDigest(tool)).toEqual(definitionForDigest(MK8_RUN));
    expect(definitionForDigest(toolWithin('d'.repeat(64)))).toEqual({
      ...definitionForDigest(MK8_RUN),
      sandbox: 'd'.repeat(64),
    });
  });

  it('runs in a registered sandbox where its arguments name one', () => {
    expect(['build', 'a', '9-x.y_z'].map((sandbox) => sandboxNameOf({ sandbox }))).toEqual(['build', 'a', '9-x.y_z']);
    expect(
      ['default', undefined, null, 5, '', '../x', 'Build', 'a\nb', 'a\n', 'x'.repeat(65)].map((sandbox) =>
        sandboxNameOf({ sandbox }),
      ),
    ).toEqual(Array.from({ length: 10 }, () => null));
  });

  it('names the paths that a script reads and writes', () => {
    expect(
      tool.resources(argsOf(op('FileCopy', 'a', 'b'), op('FileDelete', 'c'), op('DirList', '$WORKSPACE'))),
    ).toEqual([
      { kind: 'fs', access: 'read', path: '' },
      { kind: 'fs', access: 'read', path: 'a' },
      { kind: 'fs', access: 'write', path: 'b' },
      { kind: 'fs', access: 'write', path: 'c' },
    ]);
  });

  it('names requests as a gate sees them', () => {
    expect(
      tool.requests?.(
        argsOf(
          op('HttpPost', 'http://a.example/x?y', '1'),
          op('HttpGet', 'https://b.example/'),
          op('NetTlsCert', 'c.example'),
          op('NetTlsCert', 'c.example', '8443'),
          op('NetTcpConnect', 'd.example', '22'),
          op('NetPing', 'e.example', '3'),
          op('NetDns', 'f.example'),
        ),
      ),
    ).toEqual([
      { method: 'CONNECT', url: 'c.example:443', purpose: '' },
      { method: 'CONNECT', url: 'c.example:8443', purpose: '' },
      { method: 'CONNECT', url: 'd.example:22', purpose: '' },
      { method: 'CONNECT', url: 'e.example:443', purpose: '' },
      { method: 'CONNECT', url: 'https://b.example/', purpose: '' },
      { method: 'POST', url: 'http://a.example/x?y', purpose: '' },
    ]);
  });

  it('is of category read for a script that looks and connects to nothing', () => {
    const categories = [
      [op('FileRead', 'a'), op('TextTrim', 'x')],
      [op('FileWrite', 'a', 'b')],
      [op('HttpGet', 'http://a.example/')],
      [op('ProcRun', 'git', 'status')],
      [op('ProcRun', 'git', 'init')],
    ].map((operations) => tool.categoryOf?.(argsOf(...operations)));
    expect(categories).toEqual(['read', 'write', 'write', 'read', 'write']);
  });

  it('writes a script as bash, each effect once, with unset variables for unknown values', () => {
    const script = {
      options: { pipeStepOutput: true },
      operations: [
        op('FileRead', "it's"),
        op('FileRead', "it's"),
        op('FileWrite', '$PREV', 'x'),
        op('FileWrite', 'e', ''),
        op('FileAppend', 'b', 'x'),
        op('FileMove', 'a', 'b'),
        op('DirDelete', 'd'),
        op('FileWriteMany', 'm', '1', 'n', '2'),
        op('ProcRun', 'git', 'add', 'f'),
        op('HttpPut', 'http://a.example/', '$PREV'),
      ],
    };
    expect(tool.commandLine?.({ script }).split('\n')).toEqual([
      "cat './it'\\''s'",
      'printf x > "$UNKNOWN"',
      ": > './e'",
      "printf x >> './b'",
      "mv './a' './b'",
      "rm -r './d'",
      "printf x > './m'",
      "printf x > './n'",
      "'git' 'add' 'f'",
      'curl -X PUT -d "$UNKNOWN" \'http://a.example/\'',
    ]);
  });

  it('reports all problems of a script: with pointers, and for a text with line and column', () => {
    expect(
      tool
        .faults?.(argsOf(op('FileRead', '../x'), op('Nothing')))
        ?.map(({ pointer }) => pointer)
        .sort(),
    ).toEqual(['/script/operations/0/args/0', '/script/operations/1/verb']);
    expect(tool.faults?.({ script: '{"operations":[\n{"verb":"Nothing"}]}' })).toEqual([
      { pointer: '/script', message: expect.stringMatching(/^line 2, column \d+: `\/operations\/0\/verb` /) },
    ]);
    expect(tool.faults?.(argsOf(op('Echo', 'x')))).toEqual([]);
  });

  it('predicts the effects of a script without running it, and cuts long lists', () => {
    const script = {
      operations: [
        op('FileCopy', 'a', 'b'),
        op('HttpGet', 'http://a.example/x'),
        op('ProcRun', 'git', 'status'),
        { ...op('FileRead', 'a'), captureAs: 'A' },
        op('FileDelete', '$A'),
      ],
    };
    expect(tool.foresees?.({ script })).toEqual({
      status: 'dry_run',
      sandbox: { name: SANDBOX.id, digest: null },
      steps: 5,
      cleanup: 0,
      category: 'write',
      reads: ['a'],
      writes: ['b'],
      deletes: [],
      hosts: ['a.example'],
      requests: [{ method: 'GET', url: 'http://a.example/x' }],
      templates: ['git.status'],
      open: ['/operations/4/args/0'],
      omitted: 0,
    });
    expect(scriptTool(SANDBOX, 'd'.repeat(64)).foresees?.({ script })).toMatchObject({
      sandbox: { digest: 'd'.repeat(64) },
    });
    expect(tool.foresees?.(argsOf(op('Nothing')))).toBeNull();
    const many = Array.from({ length: 600 }, (_, n) => op('FileRead', `${'x'.repeat(80)}${String(n)}`));
    const { reads, omitted } = tool.foresees?.(argsOf(...many)) as { reads: string[]; omitted: number };
    expect([reads.length + omitted, reads.length > 50, omitted > 100]).toEqual([600, true, true]);
    const unknown = Array.from({ length: 1_000 }, () =>
      op('ProcRun', 'git', 'add', ...Array.from({ length: 8 }, () => '$A')),
    );
    const longest = tool.foresees?.(argsOf({ ...op('FileRead', 'a'), captureAs: 'A' }, ...unknown));
    expect(Buffer.byteLength(JSON.stringify(longest))).toBeLessThan(LIMITS.resultInlineBytes.max);
  });

  it('refuses a script that is too long to be judged', () => {
    const many = Array.from({ length: 700 }, (_, n) => op('FileRead', `${'x'.repeat(120)}${n}`));
    expect(tool.faults?.(argsOf(...many))).toEqual([
      { pointer: '/script', message: expect.stringContaining(String(LIMITS.commandBytes.max)) },
    ]);
  });
});

test.each([
  [{ operations: [{ verb: 'Mk8Skills' }] }, true],
  ['{"operations":[{"verb":"Mk8Info"}]}', true],
  ['{"operations":[{"verb":"Mk8\\u0053kills"}]}', true],
  [{ operations: [{ verb: 'Echo', args: ['x'] }] }, false],
  ['{"operations":[]}', false],
  [undefined, false],
])('of the script %j it is known whether it may list skills: %s', (script, expected) => {
  expect(mayListSkills(script)).toBe(expected);
});
