// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { canonicalJson } from '@writ/digest';
import { applyDelta } from '../apply-delta.ts';
import { parseDelta } from '../delta.ts';
import { withBlobs } from '../node.ts';
import { parsePath, type WorkspacePath } from '../path.ts';
import { BlobMap, modelOf } from '../tree-model.contract.ts';
import { lookup } from '../tree.ts';
import type { FileToolContext, FileToolSuccess, ToolFailure } from './outcome.ts';
import { doFileWork, isBriefFileWork, type FileWorker } from './file-work.ts';
import { isFileTool, runFileTool } from './run.ts';

const blobs = new BlobMap();
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
let context: FileToolContext;

beforeAll(async () => {
  const root = await blobs.tree({
    'a.txt': 'one\ntwo\nthree\n',
    'src/b.ts': 'const x = 1;\nconst y = 1;\n',
    'src/deep/c.ts': 'x\r\n\tconst   z = 2;\n',
    empty: '',
    binary: 'a\0b',
    wide: 'ü'.repeat(200_000),
    link: { link: 'src/b.ts' },
    'dir-link': { link: 'src' },
    out: { link: '/etc/passwd' },
    'private/key': 'secret x = 1',
    leak: { link: 'private/key' },
    bom: '\ufeffx',
  });
  context = { reader: blobs.reader, root, may: (_, path) => !path.startsWith('private') };
});

async function run(toolId: string, args: unknown): Promise<FileToolSuccess<Record<string, unknown>>> {
  const outcome = await runFileTool(toolId, context, args);
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`);
  // What a record hashes must be JSON that its readers take.
  canonicalJson(outcome.result);
  return outcome as FileToolSuccess<Record<string, unknown>>;
}

async function failure(toolId: string, args: unknown): Promise<ToolFailure> {
  const outcome = await runFileTool(toolId, context, args);
  if (outcome.ok) throw new Error('it did not fail');
  return outcome;
}

/** The text at a path after the outcome's delta. */
async function textAfter(outcome: FileToolSuccess<unknown>, path: string): Promise<string> {
  if (!outcome.delta) throw new Error('nothing changed');
  const reader = withBlobs(context.reader, outcome.blobs);
  const applied = await applyDelta(reader, context.root, parseDelta(structuredClone(outcome.delta)));
  const entry = await lookup(withBlobs(reader, applied.nodes), applied.root, parsePath(path));
  return Buffer.from(await reader(entry?.sha256 ?? '')).toString();
}

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

  it('cuts at what a result holds, between characters', async () => {
    const { result } = await run('fs.read', { path: 'wide' });
    expect(result).toMatchObject({ content: 'ü'.repeat(100_000), truncated: true });
  });

  it('gives what is no text as base64, and text as it is, with its byte-order mark', async () => {
    expect((await run('fs.read', { path: 'binary' })).result).toMatchObject({ content: 'YQBi', encoding: 'base64' });
    expect((await run('fs.read', { path: 'bom' })).result).toMatchObject({ content: '\ufeffx' });
    expect((await run('fs.read', { path: 'empty' })).result).toMatchObject({ content: '', lines: 0, truncated: false });
  });

  it('follows links within the workspace, and records where they lead', async () => {
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

  it('replaces a file where its link leads', async () => {
    const outcome = await run('fs.write', { path: 'link', content: 'YQA=', encoding: 'base64' });
    expect(outcome.result).toMatchObject({ path: 'src/b.ts', created: false, size: 2 });
    expect(outcome.delta?.changes.map((change) => change.path)).toEqual(['src/b.ts']);
  });

  it('changes nothing where the same stands already', async () => {
    expect(await run('fs.write', { path: 'a.txt', content: 'one\ntwo\nthree\n' })).toMatchObject({
      delta: null,
      blobs: [],
    });
  });
});

describe('fs.edit', () => {
  it('replaces in turn, as often as was said', async () => {
    const outcome = await run('fs.edit', {
      path: 'link',
      edits: [
        { find: 'x = 1', replace: 'x = $&2' },
        { find: 'const ', replace: 'let ', count: 'all' },
        { find: ';', replace: '', count: 2 },
      ],
    });
    expect(outcome.result).toMatchObject({ path: 'src/b.ts', replacements: 5 });
    expect(await textAfter(outcome, 'src/b.ts')).toBe('let x = $&2\nlet y = 1\n');
  });

  it('says how often and where a text matches that should match once', async () => {
    const edits = [
      { find: 'x', replace: 'x' },
      { find: '= 1', replace: '= 2' },
    ];
    expect(await failure('fs.edit', { path: 'src/b.ts', edits })).toMatchObject({
      code: 'edit.ambiguous',
      message: 'edit 2 of 2: the text to find stands in the file 2 times, not 1: in line 1, 2',
    });
    expect(
      await failure('fs.edit', { path: 'src/b.ts', edits: [{ find: '= 1', replace: '', count: 3 }] }),
    ).toMatchObject({ code: 'edit.ambiguous' });
  });

  it('says where a text that does not match nearly does', async () => {
    expect(
      await failure('fs.edit', { path: 'src/deep/c.ts', edits: [{ find: 'const z = 2;', replace: '' }] }),
    ).toMatchObject({
      code: 'edit.no_match',
      hint: 'line 2 has the same words with other white space or another line after it',
    });
    expect(
      await failure('fs.edit', { path: 'a.txt', edits: [{ find: 'four', replace: '', count: 'all' }] }),
    ).toMatchObject({ code: 'edit.no_match' });
  });

  it.each([
    ['aa', 'aaa', 1, 2],
    ['aa', 'aaa', 2, 2],
    ['aa', 'aa aaa', 2, 3],
    ['abab', 'xababab', undefined, 2],
  ])('calls %j in %j ambiguous with count %j, since its places overlap', async (find, content, count, times) => {
    const root = await blobs.tree({ f: content });
    const outcome = await runFileTool(
      'fs.edit',
      { ...context, root },
      { path: 'f', edits: [{ find, replace: 'x', ...(count === undefined ? {} : { count }) }] },
    );
    expect(outcome).toMatchObject({
      ok: false,
      code: 'edit.ambiguous',
      message: expect.stringContaining(`${String(times)} times, in places that overlap: in line 1`) as unknown,
      hint: expect.stringContaining('"all"') as unknown,
    });
  });

  it('takes places that overlap from the left where all are to be replaced', async () => {
    const root = await blobs.tree({ f: 'aaaaa' });
    const outcome = await runFileTool(
      'fs.edit',
      { ...context, root },
      { path: 'f', edits: [{ find: 'aa', replace: 'b', count: 'all' }] },
    );
    expect(outcome).toMatchObject({
      ok: true,
      result: { replacements: 2 },
      blobs: [{ bytes: new TextEncoder().encode('bba') }],
    });
  });

  const edited = async (content: string, ...edits: object[]): Promise<string> => {
    const root = await blobs.tree({ f: content });
    const outcome = await runFileTool('fs.edit', { ...context, root }, { path: 'f', edits });
    if (!outcome.ok) throw new Error(outcome.message);
    return Buffer.from(outcome.blobs[0]?.bytes ?? []).toString();
  };

  it.each([
    ['one\r\ntwo\r\nthree\r\n', { find: 'two', replace: '2\n2b' }, 'one\r\n2\r\n2b\r\nthree\r\n'],
    ['one\r\ntwo\r\nthree\r\n', { find: 'one\ntwo\n', replace: 'x\ny\n' }, 'x\r\ny\r\nthree\r\n'],
    ['one\r\ntwo\r\nthree\r\n', { find: 'one\r\ntwo', replace: 'x\ny' }, 'x\r\ny\r\nthree\r\n'],
    ['one\r\ntwo', { find: '\ntwo', replace: '\n2' }, 'one\r\n2'],
    // Line ends alone are changed on purpose, and a file that mixes them, or has others, is taken as it is.
    ['one\r\ntwo\r\n', { find: '\r\n', replace: '\n', count: 'all' }, 'one\ntwo\n'],
    ['one\r\ntwo\nthree', { find: 'three', replace: '3\n4' }, 'one\r\ntwo\n3\n4'],
    ['one\ntwo\n', { find: 'two', replace: '2\r\n2b' }, 'one\n2\r\n2b\n'],
  ])('keeps the one kind of line end that a file has: %j', async (content, edit, after) => {
    expect(await edited(content, edit)).toBe(after);
  });

  it('stops before it makes a file that is too large', async () => {
    const edits = Array.from({ length: 3 }, () => ({ find: 'ü', replace: 'ü'.repeat(100_000), count: 'all' }));
    expect(await failure('fs.edit', { path: 'wide', edits })).toMatchObject({ code: 'file.too_large' });
  });

  it('changes nothing where it replaces a text by itself', async () => {
    expect(await run('fs.edit', { path: 'a.txt', edits: [{ find: 'one', replace: 'one' }] })).toMatchObject({
      delta: null,
    });
  });
});

describe('fs.edit_files', () => {
  const x = (replace: string, more: object = {}) => ({ find: 'const', replace, ...more });

  it('edits several files together', async () => {
    const outcome = await run('fs.edit_files', {
      files: [
        { path: 'link', edits: [x('let', { count: 'all' })] },
        {
          path: 'a.txt',
          edits: [
            { find: 'two', replace: '2' },
            { find: '2', replace: 'II' },
          ],
        },
      ],
    });
    expect(outcome.result).toEqual({
      replacements: 4,
      files: [
        { path: 'src/b.ts', replacements: 2, size: 22, sha256: hashOf('let x = 1;\nlet y = 1;\n') },
        { path: 'a.txt', replacements: 2, size: 13, sha256: hashOf('one\nII\nthree\n') },
      ],
    });
    expect(outcome.delta?.changes.map(({ path }) => path)).toEqual(['a.txt', 'src/b.ts']);
    expect([await textAfter(outcome, 'a.txt'), await textAfter(outcome, 'src/b.ts')]).toEqual([
      'one\nII\nthree\n',
      'let x = 1;\nlet y = 1;\n',
    ]);
  });

  it('edits a file that is named again, also by a link, on what was left of it', async () => {
    const outcome = await run('fs.edit_files', {
      files: [
        { path: 'src/b.ts', edits: [x('let', { count: 2 })] },
        { path: 'a.txt', edits: [{ find: 'one', replace: '1' }] },
        { path: 'dir-link/b.ts', edits: [{ find: 'let y', replace: 'var y' }] },
      ],
    });
    expect(outcome.result['files']).toMatchObject([
      { path: 'src/b.ts', replacements: 3 },
      { path: 'a.txt', replacements: 1 },
    ]);
    expect(await textAfter(outcome, 'src/b.ts')).toBe('let x = 1;\nvar y = 1;\n');
  });

  it("changes none where one doesn't fit, and says which and how often its text matched", async () => {
    const files = (path: string, edit: object) => ({
      files: [
        { path: 'a.txt', edits: [{ find: 'one', replace: '1' }] },
        { path, edits: [edit] },
      ],
    });
    expect(await failure('fs.edit_files', files('src/b.ts', x('let')))).toMatchObject({
      code: 'edit.ambiguous',
      message: '`src/b.ts`: edit 1 of 1: the text to find stands in the file 2 times, not 1: in line 1, 2',
    });
    expect(await failure('fs.edit_files', files('src/deep/c.ts', { find: 'const z = 2;', replace: '' }))).toMatchObject(
      {
        code: 'edit.no_match',
        message: '`src/deep/c.ts`: edit 1 of 1: the text to find is not in the file',
        hint: expect.stringContaining('line 2') as unknown,
      },
    );
    for (const [path, code] of [
      ['leak', 'token.scope'],
      ['out', 'path.escape'],
      ['nothing', 'file.not_found'],
      ['binary', 'file.kind'],
      ['src', 'file.kind'],
    ])
      expect(await failure('fs.edit_files', files(path!, x('')))).toMatchObject({ code });
  });

  it('holds no more of all files than one may be long', async () => {
    const paths = Array.from({ length: 3 }, (_, n) => `big-${n}`);
    const root = await blobs.tree(
      Object.fromEntries(paths.map((path, n) => [path, `${n}${'x'.repeat(23 * 1024 * 1024)}`])),
    );
    const outcome = await runFileTool(
      'fs.edit_files',
      { ...context, root },
      { files: paths.map((path, n) => ({ path, edits: [{ find: String(n), replace: '-' }] })) },
    );
    expect(outcome).toMatchObject({
      ok: false,
      code: 'file.too_large',
      message: expect.stringContaining('`big-2`') as unknown,
    });
  });

  it('changes nothing where texts are replaced by themselves, and no file that is left as it is', async () => {
    const same = { path: 'a.txt', edits: [{ find: 'one', replace: 'one' }] };
    expect(await run('fs.edit_files', { files: [same] })).toMatchObject({ delta: null, blobs: [] });
    expect(
      (
        await run('fs.edit_files', { files: [same, { path: 'src/b.ts', edits: [x('let', { count: 2 })] }] })
      ).delta?.changes.map(({ path }) => path),
    ).toEqual(['src/b.ts']);
  });
});

describe('fs.list', () => {
  it('lists as deep as was said, without what the token does not reach', async () => {
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
  it('finds plain text, line by line, in what the token reaches', async () => {
    expect((await run('fs.search', { pattern: 'x = 1' })).result).toEqual({
      matches: [{ path: 'src/b.ts', line: 1, text: 'const x = 1;' }],
      files_searched: 6,
      truncated: false,
    });
  });

  it('finds by regular expression, from a directory down, as many as were asked for', async () => {
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

  it('refuses an expression that is larger than may be matched, before it reads anything', async () => {
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

  it('gives its steps a bound', () => {
    const work = { files: [Buffer.from('a'.repeat(1_000))], pattern: 'b', max: 1 };
    expect(doFileWork('search', { ...work, regex: true, steps: 100_000 })).toMatchObject({ ok: true });
    expect(doFileWork('search', { ...work, regex: true, steps: 1_000 })).toMatchObject({
      ok: false,
      fault: { code: 'limit.exceeded', detail: expect.stringContaining('`b`') as unknown },
    });
    expect(doFileWork('search', { ...work, regex: false, steps: 999 })).toMatchObject({
      ok: false,
      fault: { code: 'limit.exceeded' },
    });
  });

  it('finds lines by plain text as one by one', async () => {
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

  it('cuts a long line', async () => {
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

  it('is done where the context says', async () => {
    const kinds: string[] = [];
    const work: FileWorker = async (kind, input) => {
      kinds.push(kind);
      return doFileWork(kind, structuredClone(input));
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

  it('tell no more of a path that the token does not reach than that it does not', async () => {
    const there = await failure('fs.read', { path: 'private/key' });
    const notThere = await failure('fs.read', { path: 'private/not' });
    expect(notThere.message.replace('not`', 'key`')).toBe(there.message);
  });

  it('throw what is wrong with our own store', async () => {
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

  it('ask about paths with their links resolved', async () => {
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
