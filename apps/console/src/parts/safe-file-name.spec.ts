// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { safeFileName } from './safe-file-name.ts';

it('a file is saved under the last part of its path', () => {
  expect(safeFileName('src/main.ts')).toBe('main.ts');
  expect(safeFileName('Übersicht (1).pdf')).toBe('Übersicht (1).pdf');
});

it('a name that would hide what the file is becomes a plain one', () => {
  expect(safeFileName('a\u202Efdp.exe')).toBe('a_fdp.exe');
  expect(safeFileName('.bashrc')).toBe('_bashrc');
  expect(safeFileName('..\\..\\x:y')).toBe('__.._x_y');
  expect(safeFileName('')).toBe('file');
});

const unit = fc.constantFrom('a', 'é', '日', '.', ' ', '/', '\\', ':', '\u202E', '\u0000', '\uD800', '\u{1F4A9}');

it('a saved name has no folder, no hidden character, and begins with no dot', () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 300 }), (path) => {
      const name = safeFileName(path);
      expect(name).toMatch(/^(?![. ])[\p{L}\p{N}\p{M}._ ()+=@-]+$/u);
      expect([...name].length).toBeLessThanOrEqual(120);
    }),
  );
});
