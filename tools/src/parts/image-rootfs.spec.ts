// SPDX-License-Identifier: Apache-2.0
import { chooseMirror } from './image-rootfs.ts';
import { baseTag, RECIPE } from './image-recipe.ts';

test('the mirror is that of this machine’s apt for Debian itself', () => {
  expect(chooseMirror('https://deb.example/node_20.x nodistro main\nhttp://mirror.example/debian bookworm main')).toBe(
    'http://mirror.example/debian',
  );
  expect(chooseMirror('http://deb.debian.org/debian-security bookworm-security main')).toBe(
    'http://deb.debian.org/debian',
  );
  expect(chooseMirror('')).toBe('http://deb.debian.org/debian');
});

test('another recipe has another name', () => {
  expect(baseTag(RECIPE)).toMatch(/^writ\/sandbox-base:[0-9a-f]{12}$/);
  expect(baseTag({ ...RECIPE, packages: [...RECIPE.packages, 'make'] })).not.toBe(baseTag(RECIPE));
});
