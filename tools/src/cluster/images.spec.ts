// SPDX-License-Identifier: Apache-2.0
import { parseLdd } from './images.ts';

test("libraries and the loader are found at the loader's paths", () => {
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

test('a static program has no libraries', () => {
  expect(parseLdd('\tnot a dynamic executable\n')).toEqual([]);
});
