// SPDX-License-Identifier: Apache-2.0
import { mountsBelow } from './mounts.ts';

const INFO = [
  '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
  '30 22 254:0 /w/.writ/docker /w/.writ/docker rw - ext4 /dev/vda rw',
  '31 30 0:44 / /w/.writ/docker/overlay2/a/merged rw - overlay overlay rw',
  '32 22 254:0 / /w/.writ-other/docker rw - ext4 /dev/vda rw',
  '33 22 254:0 / /w/.writ/with\\040space rw - ext4 /dev/vda rw',
  '',
].join('\n');

test('only mounts below a directory are found, the last mounted first', () => {
  expect(mountsBelow('/w/.writ', INFO)).toEqual([
    '/w/.writ/with space',
    '/w/.writ/docker/overlay2/a/merged',
    '/w/.writ/docker',
  ]);
});
