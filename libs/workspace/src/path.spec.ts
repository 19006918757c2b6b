// SPDX-License-Identifier: Apache-2.0
import { ancestorsOf, isName, isWithin, isWorkspacePath, joinPath, parsePath, ROOT } from './path.ts';

describe('parsePath', () => {
  it.each([
    ['a/b', 'a/b'],
    ['./a//b/.', 'a/b'],
    ['/workspace/a', 'a'],
    ['/workspace', ''],
    ['/workspace/', ''],
    ['', ''],
    ['.', ''],
    ['//workspace//x', 'x'],
    ['workspace/a', 'workspace/a'],
    ['...', '...'],
    ['a/..b', 'a/..b'],
    ['é', 'é'],
    ['e\u0301', 'e\u0301'],
    ['a b\\c', 'a b\\c'],
  ])('reads %j as %j', (text, path) => {
    expect(parsePath(text)).toBe(path);
  });

  it.each([
    '..',
    'a/..',
    'a/../b',
    '/workspace/..',
    '/workspace/../workspace/a',
    '/',
    '/etc/passwd',
    '/workspacex',
    '/Workspace/a',
    '/./etc',
  ])('refuses %j, which leads out', (text) => {
    expect(() => parsePath(text)).toThrow(expect.objectContaining({ code: 'path.escape' }));
  });

  it.each([
    ['a\0b'],
    ['a\nb'],
    ['\u001b[31m'],
    ['a\u007f'],
    ['\ud800'],
    ['x'.repeat(256)],
    ['é'.repeat(128)],
    [Array(65).fill('a').join('/')],
    [`${'a/'.repeat(2_049)}`],
  ])('refuses %j, which is no path', (text) => {
    expect(() => parsePath(text)).toThrow(expect.objectContaining({ code: 'path.invalid' }));
  });

  it('accepts the longest name and the deepest path', () => {
    expect(parsePath('x'.repeat(255))).toHaveLength(255);
    expect(parsePath(Array(64).fill('a').join('/'))).toHaveLength(127);
  });

  it('repeats a refused path in printable form', () => {
    expect(() => parsePath('/etc/`\u202e')).toThrow('the path `/etc/\\u{60}\\u{202e}` is outside /workspace');
    expect(() => parsePath(`/${'y'.repeat(500)}`)).toThrow(/^the path `\/y{119}…` is outside \/workspace$/);
  });
});

describe('paths', () => {
  it('are distinguished from other spellings', () => {
    expect(isWorkspacePath('a/b')).toBe(true);
    expect(['/workspace/a', './a', 'a/', '..'].some(isWorkspacePath)).toBe(false);
    expect(['a', '...'].every(isName)).toBe(true);
    expect(['', '.', '..', 'a/b', 'a\0', '/a'].some(isName)).toBe(false);
  });

  it('are within a directory by whole names', () => {
    const [a, b] = [parsePath('a'), parsePath('a/b')];
    expect([isWithin(a, b), isWithin(a, a), isWithin(ROOT, b), isWithin(b, a), isWithin(a, parsePath('ab'))]).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(joinPath(ROOT, 'a')).toBe('a');
    expect(ancestorsOf(parsePath('a/b/c'))).toEqual(['a', 'a/b']);
  });
});
