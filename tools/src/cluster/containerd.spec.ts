// SPDX-License-Identifier: Apache-2.0
import { parseImages, parseImported } from './containerd.ts';

test('the references of imported images are parsed from the output of ctr', () => {
  expect(
    parseImported(
      'unpacking docker.io/library/writ:1 (sha256:ab)...done\nunpacking writ.local/pause:1 (sha256:cd)...done\n',
    ),
  ).toEqual(['docker.io/library/writ:1', 'writ.local/pause:1']);
});

test("digests of the node's images are parsed from ctr's table", () => {
  const table = `REF                 TYPE                                       DIGEST      SIZE    PLATFORMS
writ.local/pause:1  application/vnd.oci.image.manifest.v1+json sha256:abcd 1.2 MiB linux/amd64
`;
  expect(parseImages(table)).toEqual(new Map([['writ.local/pause:1', 'sha256:abcd']]));
  expect(parseImages('REF TYPE DIGEST SIZE PLATFORMS LABELS\n')).toEqual(new Map());
});
