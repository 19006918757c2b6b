// SPDX-License-Identifier: Apache-2.0
import { engineRunDir } from './docker-paths.ts';

test('sockets lie in the state directory while that is short', () => {
  expect(engineRunDir('/home/me/writ/.writ', 'abc')).toBe('/home/me/writ/.writ/run/engine');
});

test.each([40, 50, 51, 60, 200])('a state directory of %i characters leaves room for every socket', (length) => {
  const dir = engineRunDir(`/${'d'.repeat(length - 1)}`, '0123456789ab', '/tmp');
  // The longest that dockerd makes below it.
  expect(Buffer.byteLength(`${dir}/exec/containerd/containerd.sock.ttrpc`)).toBeLessThan(107);
});

test('length is counted in bytes, as the kernel does', () => {
  expect(engineRunDir(`/${'ü'.repeat(30)}`, 'abc', '/tmp')).toBe('/tmp/writ-abc');
});
