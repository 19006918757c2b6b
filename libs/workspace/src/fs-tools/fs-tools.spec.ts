// SPDX-License-Identifier: Apache-2.0
import type { WorkspacePath } from '../path.ts';
import { modelOf } from '../tree-model.contract.ts';
import { FileTools, hashOf } from './file-tools.contract.ts';
import { runFileWorkInline, isBriefFileWork, type FileWorker } from './file-work.ts';
import type { FileToolContext, FileToolSuccess } from './outcome.ts';
import { isFileTool, runFileTool } from './run.ts';

let tools: FileTools;
let blobs: FileTools['blobs'];
let context: FileTools['context'];
beforeAll(async () => {
  tools = await FileTools.open();
  ({ blobs, context } = tools);
});
const run = (toolId: string, args: unknown) => tools.run(toolId, args);
const failure = (toolId: string, args: unknown) => tools.failure(toolId, args);
const textAfter = (outcome: FileToolSuccess<unknown>, path: string) => tools.textAfter(outcome, path);

describe('fs.read', () => {
  it('reads a whole file', async () => {
    expect((await run('fs.read', { path: '/workspace/a.txt' })).result).toEqual({
      path: 'a.txt',
      content: 'one\ntwo\nthree\n',
      encoding: 'utf8',
      size: 14,
      sha256: hashOf('one\ntwo\nthree\n'),
      lines: 3,
      truncated: false,
    });
  });

  it.each([
    [{ offset: 1 }, 'two\nthree\n', false],
    [{ limit: 2 }, 'one\ntwo\n', true],
    [{ offset: 1, limit: 1 }, 'two\n', true],
    [{ offset: 9 }, '', false],
    [{ limit: 99 }, 'one\ntwo\nthree\n', false],
  ])('reads lines %j', async (range, content, truncated) => {
    expect((await run('fs.read', { path: 'a.txt', ...range })).result).toMatchObject({ content, truncated, lines: 3 });
  });

  it('truncates to the limit of a result, between characters', async () => {
    const { result } = await run('fs.read', { path: 'wide' });
    expect(result).toMatchObject({ content: 'ü'.repeat(100_000), truncated: true });
  });

  it('returns other contents as base64, and text unchanged, with its byte-order mark', async () => {
    expect((await run('fs.read', { path: 'binary' })).result).toMatchObject({ content: 'YQBi', encoding: 'base64' });
    expect((await run('fs.read', { path: 'bom' })).result).toMatchObject({ content: '\ufeffx' });
    expect((await run('fs.read', { path: 'empty' })).result).toMatchObject({ content: '', lines: 0, truncated: false });
  });

  it('follows links within the workspace, and records their target', async () => {
    expect((await run('fs.read', { path: 'dir-link/deep/c.ts' })).result['path']).toBe('src/deep/c.ts');
  });
});

describe('fs.write', () => {
  it('makes a file and its directories', async () => {
    const outcome = await run('fs.write', { path: 'new/deep/file.txt', content: 'héllo' });
    expect(outcome.result).toEqual({ path: 'new/deep/file.txt', size: 6, sha256: hashOf('héllo'), created: true });
    expect(outcome.delta?.changes.map((change) => `${change.path} ${change.after?.kind ?? ''}`)).toEqual([
      'new dir',
      'new/deep dir',
      'new/deep/file.txt file',
    ]);
    expect(await textAfter(outcome, 'new/deep/file.txt')).toBe('héllo');
  });

  it('replaces the target of a link', async () => {
    const outcome = await run('fs.write', { path: 'link', content: 'YQA=', encoding: 'base64' });
    expect(outcome.result).toMatchObject({ path: 'src/b.ts', created: false, size: 2 });
    expect(outcome.delta?.changes.map((change) => change.path)).toEqual(['src/b.ts']);
  });

  it('changes nothing if the content is the same', async () => {
    expect(await run('fs.write', { path: 'a.txt', content: 'one\ntwo\nthree\n' })).toMatchObject({
      delta: null,
      blobs: [],
    });
  });
});

describe('fs.list', () => {
  it('lists to the given depth, without paths outside of the token', async () => {
    const { result } = await run('fs.list', {});
    expect(
      (result['entries'] as { path: string; kind: string }[]).map((entry) => `${entry.path} ${entry.kind}`),
    ).toEqual([
      'a.txt file',
      'binary file',
      'bom file',
      'dir-link symlink',
      'empty file',
      'leak symlink',
      'link symlink',
      'out symlink',
      'src dir',
      'wide file',
    ]);
    const deep = (await run('fs.list', { path: 'dir-link', depth: 2 })).result;
    expect(deep).toEqual({
      path: 'src',
      truncated: false,
      entries: [
        { path: 'src/b.ts', kind: 'file', size: 26 },
        { path: 'src/deep', kind: 'dir', size: 0 },
        { path: 'src/deep/c.ts', kind: 'file', size: 19 },
      ],
    });
  });
});

describe('fs.search', () => {
  it('finds plain text, line by line, within the token’s scope', async () => {
    expect((await run('fs.search', { pattern: 'x = 1' })).result).toEqual({
      matches: [{ path: 'src/b.ts', line: 1, text: 'const x = 1;' }],
      files_searched: 6,
      truncated: false,
    });
  });

  it('finds by regular expression, below a directory, up to `max`', async () => {
    expect(
      (await run('fs.search', { pattern: '^\\s*const\\s+[yz]', regex: true, path: 'src' })).result['matches'],
    ).toEqual([
      { path: 'src/b.ts', line: 2, text: 'const y = 1;' },
      { path: 'src/deep/c.ts', line: 2, text: '\tconst   z = 2;' },
    ]);
    expect((await run('fs.search', { pattern: 'const', max: 2 })).result).toMatchObject({
      truncated: true,
      matches: [{}, {}],
    });
    expect((await run('fs.search', { pattern: 'three', path: 'a.txt' })).result['matches']).toEqual([
      { path: 'a.txt', line: 3, text: 'three' },
    ]);
  });

  it('refuses an expression that is too large, before it reads anything', async () => {
    const root = await blobs.tree({ a: 'a'.repeat(4 * 1024 * 1024) });
    const began = performance.now();
    const outcome = await runFileTool(
      'fs.search',
      { ...context, root },
      { pattern: '(?:a?){1000}a{1000}', regex: true },
    );
    expect(outcome).toMatchObject({
      ok: false,
      code: 'search.pattern',
      message: expect.stringContaining('more than the 1000') as unknown,
    });
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('limits its steps', () => {
    const work = { files: [Buffer.from('a'.repeat(1_000))], pattern: 'b', max: 1 };
    expect(runFileWorkInline('search', { ...work, regex: true, steps: 100_000 })).toMatchObject({ ok: true });
    expect(runFileWorkInline('search', { ...work, regex: true, steps: 1_000 })).toMatchObject({
      ok: false,
      fault: { code: 'limit.exceeded', detail: expect.stringContaining('`b`') as unknown },
    });
    expect(runFileWorkInline('search', { ...work, regex: false, steps: 999 })).toMatchObject({
      ok: false,
      fault: { code: 'limit.exceeded' },
    });
  });

  it('finds the same lines by plain text as line by line', async () => {
    const root = await blobs.tree({ a: 'xa\n\nxx\r\nnone\nx', b: '\nx\n' });
    const outcome = await runFileTool('fs.search', { ...context, root }, { pattern: 'x' });
    expect(outcome).toMatchObject({
      ok: true,
      result: {
        matches: [
          { path: 'a', line: 1, text: 'xa' },
          { path: 'a', line: 3, text: 'xx' },
          { path: 'a', line: 5, text: 'x' },
          { path: 'b', line: 2, text: 'x' },
        ],
      },
    });
  });

  it('takes linear time where a backtracking matcher would take forever', async () => {
    const root = await blobs.tree({ a: `${'a'.repeat(5_000)}!` });
    const outcome = await runFileTool('fs.search', { ...context, root }, { pattern: '^(a+)+$', regex: true });
    expect(outcome).toMatchObject({ ok: true, result: { matches: [] } });
  }, 30_000);

  it('truncates a long line', async () => {
    const { result } = await run('fs.search', { pattern: 'üü' });
    expect(result['matches']).toEqual([{ path: 'wide', line: 1, text: `${'ü'.repeat(400)}…` }]);
  });
});

describe('the work of file tools', () => {
  const bytes = (length: number) => Buffer.alloc(length, 'a');

  it('is brief by its sizes alone', () => {
    expect(isBriefFileWork('read', { bytes: bytes(1_000) })).toBe(true);
    expect(isBriefFileWork('read', { bytes: bytes(1_000_000) })).toBe(false);
    const edit = { find: 'const a', replace: 'let a' };
    expect(isBriefFileWork('edit', { path: 'a', bytes: bytes(50_000), edits: [edit, edit] })).toBe(true);
    expect(
      isBriefFileWork('edit', { path: 'a', bytes: bytes(50_000), edits: Array.from({ length: 16 }, () => edit) }),
    ).toBe(false);
    expect(
      isBriefFileWork('edit', {
        path: 'a',
        bytes: bytes(5_000),
        edits: [{ find: 'a', replace: 'b'.repeat(1_000), count: 'all' }],
      }),
    ).toBe(false);
    const search = { files: [bytes(4_000)], max: 1, steps: 1 };
    expect(isBriefFileWork('search', { ...search, pattern: 'aa', regex: false })).toBe(true);
    expect(isBriefFileWork('search', { ...search, pattern: 'a+', regex: true })).toBe(true);
    expect(isBriefFileWork('search', { ...search, pattern: '(a?){99}', regex: true })).toBe(false);
    expect(isBriefFileWork('search', { ...search, files: [bytes(400_000)], pattern: 'a+', regex: true })).toBe(false);
  });

  it('runs on the context’s worker', async () => {
    const kinds: string[] = [];
    const work: FileWorker = async (kind, input) => {
      kinds.push(kind);
      return runFileWorkInline(kind, structuredClone(input));
    };
    for (const [toolId, args] of [
      ['fs.read', { path: 'a.txt' }],
      ['fs.edit', { path: 'a.txt', edits: [{ find: 'one', replace: '1' }] }],
      ['fs.search', { pattern: 'x' }],
    ] as const) {
      expect((await runFileTool(toolId, { ...context, work }, args)).ok).toBe(true);
    }
    expect([...new Set(kinds)]).toEqual(['read', 'edit', 'search']);
    expect(
      await runFileTool('fs.edit', { ...context, work }, { path: 'a.txt', edits: [{ find: 'four', replace: '' }] }),
    ).toMatchObject({ code: 'edit.no_match', hint: 'read the file: it may have changed' });
  });
});

describe('file tools', () => {
  it.each([
    ['fs.read', { path: '../x' }, 'path.escape'],
    ['fs.read', { path: '/etc/passwd' }, 'path.escape'],
    ['fs.read', { path: 'out' }, 'path.escape'],
    ['fs.read', { path: 'a\0' }, 'path.invalid'],
    ['fs.read', { path: 'nothing' }, 'file.not_found'],
    ['fs.read', { path: 'src' }, 'file.kind'],
    ['fs.read', { path: 'a.txt/b' }, 'file.kind'],
    ['fs.read', { path: 'leak' }, 'token.scope'],
    ['fs.read', { path: 'private/nothing' }, 'token.scope'],
    ['fs.read', { path: 'a.txt', offset: -1 }, 'args.invalid'],
    ['fs.read', {}, 'args.invalid'],
    ['fs.write', { path: 'src', content: '' }, 'file.kind'],
    ['fs.write', { path: '.', content: '' }, 'file.kind'],
    ['fs.write', { path: 'a.txt/x', content: '' }, 'file.kind'],
    ['fs.write', { path: 'leak', content: '' }, 'token.scope'],
    ['fs.write', { path: 'out', content: '' }, 'path.escape'],
    ['fs.write', { path: 'x', content: 'no base64!', encoding: 'base64' }, 'args.invalid'],
    ['fs.edit', { path: 'binary', edits: [{ find: 'a', replace: 'b' }] }, 'file.kind'],
    ['fs.edit', { path: 'nothing', edits: [{ find: 'a', replace: 'b' }] }, 'file.not_found'],
    ['fs.edit', { path: 'a.txt', edits: [{ find: '', replace: 'b' }] }, 'args.invalid'],
    ['fs.list', { path: 'a.txt' }, 'file.kind'],
    ['fs.list', { path: 'nothing' }, 'file.not_found'],
    ['fs.search', { pattern: '(', regex: true }, 'search.pattern'],
    ['fs.search', { pattern: '(a)\\1', regex: true }, 'search.pattern'],
    ['fs.search', { pattern: 'x', path: 'nothing' }, 'file.not_found'],
  ])('%s %j fails with %s', async (toolId, args, code) => {
    const failed = await failure(toolId, args);
    expect(failed.code).toBe(code);
    expect(failed.message).toMatch(/^[^A-Z]/);
  });

  it('reveal nothing about a path outside of the token', async () => {
    const there = await failure('fs.read', { path: 'private/key' });
    const notThere = await failure('fs.read', { path: 'private/not' });
    expect(notThere.message.replace('not`', 'key`')).toBe(there.message);
  });

  it('throw errors of our own store', async () => {
    const broken: FileToolContext = { ...context, reader: async () => Buffer.from('{}') };
    await expect(runFileTool('fs.read', broken, { path: 'a.txt' })).rejects.toMatchObject({ code: 'blob.corrupt' });
  });

  it('change nothing themselves', async () => {
    const before = await modelOf(blobs.reader, context.root);
    await run('fs.write', { path: 'a.txt', content: 'other' });
    expect(await modelOf(blobs.reader, context.root)).toEqual(before);
  });

  it('are these', () => {
    expect(
      ['fs.read', 'fs.write', 'fs.edit', 'fs.edit_files', 'fs.list', 'fs.search', 'shell.run'].map(isFileTool),
    ).toEqual([true, true, true, true, true, true, false]);
  });

  it('check access to paths with their links resolved', async () => {
    const asked: [string, WorkspacePath][] = [];
    await runFileTool(
      'fs.edit',
      { ...context, may: (access, path) => asked.push([access, path]) > 0 },
      { path: 'dir-link/b.ts', edits: [{ find: 'x', replace: 'z' }] },
    );
    expect(asked).toEqual([
      ['read', 'src/b.ts'],
      ['write', 'src/b.ts'],
    ]);
  });
});
