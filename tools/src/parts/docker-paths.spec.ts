// SPDX-License-Identifier: Apache-2.0
import { engineRunDir } from './docker-paths.ts';

test('sockets are in the state directory while its path is short', () => {
  expect(engineRunDir('/home/me/writ/.writ', 'abc')).toBe('/home/me/writ/.writ/run/engine');
});

test.each([40, 50, 51, 60, 200])('every socket path fits in a state directory of %i characters', (length) => {
  const dir = engineRunDir(`/${'d'.repeat(length - 1)}`, '0123456789ab', '/tmp');
  // The longest path that dockerd creates below it.
  expect(Buffer.byteLength(`${dir}/exec/containerd/containerd.sock.ttrpc`)).toBeLessThan(107);
});

test('length is counted in bytes, as in the kernel', () => {
  expect(engineRunDir(`/${'ü'.repeat(30)}`, 'abc', '/tmp')).toBe('/tmp/writ-abc');
});
