// SPDX-License-Identifier: Apache-2.0
import { FileTools, hashOf } from './file-tools.contract.ts';
import type { FileToolSuccess } from './outcome.ts';
import { runFileTool } from './run.ts';

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

describe('fs.edit', () => {
  it('replaces in order, as often as `count`', async () => {
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

  it('reports how often and where a text matches that should match once', async () => {
    const edits = [
      { find: 'x', replace: 'x' },
      { find: '= 1', replace: '= 2' },
    ];
    expect(await failure('fs.edit', { path: 'src/b.ts', edits })).toMatchObject({
      code: 'edit.ambiguous',
      message: 'edit 2 of 2: the text to find occurs in the file 2 times, not 1: in line 1, 2',
    });
    expect(
      await failure('fs.edit', { path: 'src/b.ts', edits: [{ find: '= 1', replace: '', count: 3 }] }),
    ).toMatchObject({ code: 'edit.ambiguous' });
  });

  it('reports where a text without a match nearly matches', async () => {
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
      message: expect.stringContaining(`${String(times)} times, in overlapping places: in line 1`) as unknown,
      hint: expect.stringContaining('"all"') as unknown,
    });
  });

  it('replaces overlapping matches from the left with `all`', async () => {
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
    // An edit of line ends only is meant, and a file with mixed or other line ends is used unchanged.
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

  it('changes nothing if it replaces a text by itself', async () => {
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

  it('edits a file that is named again, also by a link, in its state so far', async () => {
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

  it('changes none if one edit fails, and reports which and how often its text matched', async () => {
    const files = (path: string, edit: object) => ({
      files: [
        { path: 'a.txt', edits: [{ find: 'one', replace: '1' }] },
        { path, edits: [edit] },
      ],
    });
    expect(await failure('fs.edit_files', files('src/b.ts', x('let')))).toMatchObject({
      code: 'edit.ambiguous',
      message: '`src/b.ts`: edit 1 of 1: the text to find occurs in the file 2 times, not 1: in line 1, 2',
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

  it('limits all files together to the size of one', async () => {
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

  it('changes nothing if texts are replaced by themselves, and no unchanged file', async () => {
    const same = { path: 'a.txt', edits: [{ find: 'one', replace: 'one' }] };
    expect(await run('fs.edit_files', { files: [same] })).toMatchObject({ delta: null, blobs: [] });
    expect(
      (
        await run('fs.edit_files', { files: [same, { path: 'src/b.ts', edits: [x('let', { count: 2 })] }] })
      ).delta?.changes.map(({ path }) => path),
    ).toEqual(['src/b.ts']);
  });
});
