// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Canaries, parseHostPort } from './canaries.ts';

test('`host:port` is parsed with names and with addresses', () => {
  expect(parseHostPort('canary.writ.svc:8080')).toEqual({ host: 'canary.writ.svc', port: 8080 });
  // With brackets as in URLs, and without as in `$(POD_IP):PORT`.
  const both = ['[fd00::1]:443', 'fd00::1:443'].map(parseHostPort);
  expect(both).toEqual([0, 1].map(() => ({ host: 'fd00::1', port: 443 })));
});

test.each(['', 'canary', 'canary:0', 'canary:70000', 'http://canary:80', '[canary]:'])('`%s` is refused', (text) => {
  expect(() => parseHostPort(text)).toThrow('is no `host:port`');
});

test('an answering canary is returned as an address; for another one the error names the remedy', async () => {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(
    await new Canaries([
      { host: 'localhost', port },
      { host: '127.0.0.1', port },
    ]).reachableAddresses(),
  ).toEqual([`127.0.0.1:${port}`]);
  server.close();
  await once(server, 'close');
  await expect(new Canaries([{ host: '127.0.0.1', port }]).reachableAddresses()).rejects.toThrow(
    'see that it listens, and that network policies let this executor reach it',
  );
  await expect(new Canaries([{ host: 'no-such-name.invalid', port }]).reachableAddresses()).rejects.toThrow(
    'has no address',
  );
});
