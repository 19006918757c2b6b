// SPDX-License-Identifier: Apache-2.0
import { parseImages, parseImported } from './containerd.ts';

test('the references of imported images are read from what ctr prints', () => {
  expect(
    parseImported(
      'unpacking docker.io/library/writ:1 (sha256:ab)...done\nunpacking writ.local/pause:1 (sha256:cd)...done\n',
    ),
  ).toEqual(['docker.io/library/writ:1', 'writ.local/pause:1']);
});

test("digests of the node's images are read from the table that ctr prints", () => {
  const table = `REF                 TYPE                                       DIGEST      SIZE    PLATFORMS
writ.local/pause:1  application/vnd.oci.image.manifest.v1+json sha256:abcd 1.2 MiB linux/amd64
`;
  expect(parseImages(table)).toEqual(new Map([['writ.local/pause:1', 'sha256:abcd']]));
  expect(parseImages('REF TYPE DIGEST SIZE PLATFORMS LABELS\n')).toEqual(new Map());
});
