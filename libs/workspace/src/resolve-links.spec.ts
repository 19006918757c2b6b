// SPDX-License-Identifier: Apache-2.0
import { parsePath } from './path.ts';
import { resolveLinks } from './resolve-links.ts';
import { BlobMap } from './tree-model.contract.ts';

describe('resolveLinks', () => {
  const blobs = new BlobMap();
  let root: string;
  beforeAll(async () => {
    root = await blobs.tree({
      'src/a.txt': 'a',
      'src/lib/b.txt': 'b',
      near: { link: 'src' },
      up: { link: 'src/../src/./lib' },
      'src/lib/back': { link: '../a.txt' },
      whole: { link: '/workspace/src/lib' },
      chain: { link: 'near/lib/back' },
      dangling: { link: 'src/new.txt' },
      out: { link: '../etc/passwd' },
      abs: { link: '/etc/passwd' },
      'src/lib/far': { link: '../../../x' },
      self: { link: 'self' },
      ghost: { link: 'nowhere/../src' },
      control: { link: 'a\u0001' },
      through: { link: 'src/a.txt/x' },
      top: { link: '/workspace' },
    });
  });
  const resolved = async (path: string): Promise<string> => {
    const { path: at, entry } = await resolveLinks(blobs.reader, root, parsePath(path));
    return `${at} ${entry?.kind ?? 'nothing'}`;
  };

  it.each([
    ['', ' dir'],
    ['src/a.txt', 'src/a.txt file'],
    ['near', 'src dir'],
    ['near/a.txt', 'src/a.txt file'],
    ['up/b.txt', 'src/lib/b.txt file'],
    ['src/lib/back', 'src/a.txt file'],
    ['whole/b.txt', 'src/lib/b.txt file'],
    ['chain', 'src/a.txt file'],
    ['dangling', 'src/new.txt nothing'],
    ['near/x/y', 'src/x/y nothing'],
    ['top/near', 'src dir'],
    ['missing', 'missing nothing'],
  ])('leads %j to %j', async (path, where) => {
    expect(await resolved(path)).toBe(where);
  });

  it.each([
    ['out', 'path.escape'],
    ['abs', 'path.escape'],
    ['src/lib/far', 'path.escape'],
    ['abs/more', 'path.escape'],
    ['self', 'path.invalid'],
    ['control', 'path.invalid'],
    ['ghost', 'file.not_found'],
    ['through', 'file.kind'],
    ['src/a.txt/b', 'file.kind'],
  ])('refuses %j with %s', async (path, code) => {
    await expect(resolved(path)).rejects.toMatchObject({ code });
  });

  it('follows forty links and no more', async () => {
    const links: Record<string, string | { link: string }> = { l0: 'end' };
    for (let n = 1; n <= 41; n++) links[`l${n}`] = { link: `l${n - 1}` };
    const chain = await blobs.tree(links);
    expect((await resolveLinks(blobs.reader, chain, parsePath('l40'))).path).toBe('l0');
    await expect(resolveLinks(blobs.reader, chain, parsePath('l41'))).rejects.toMatchObject({ code: 'path.invalid' });
  });

  it('refuses a path that links make too long', async () => {
    const deep = await blobs.tree({ a: { link: 'x/'.repeat(40) }, 'y/z': { link: 'w' } });
    await expect(resolveLinks(blobs.reader, deep, parsePath(`a/${'v/'.repeat(40)}`))).rejects.toMatchObject({
      code: 'path.invalid',
    });
  });
});
