// SPDX-License-Identifier: Apache-2.0
import { parseLdd } from './images.ts';

test('libraries are found at the paths where the loader looks, the loader among them', () => {
  expect(
    parseLdd(`\tlinux-vdso.so.1 (0x00007ffc)
\tlibdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007f1)
\tlibstdc++.so.6 => /usr/lib/x86_64-linux-gnu/libstdc++.so.6 (0x00007f2)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f3)
`),
  ).toEqual([
    '/lib/x86_64-linux-gnu/libdl.so.2',
    '/usr/lib/x86_64-linux-gnu/libstdc++.so.6',
    '/lib64/ld-linux-x86-64.so.2',
  ]);
});

test('a program without libraries needs none', () => {
  expect(parseLdd('\tnot a dynamic executable\n')).toEqual([]);
});
