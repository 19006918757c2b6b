// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Canaries, parseHostPort } from './canaries.ts';

test('places are read by name and by address', () => {
  expect(parseHostPort('canary.writ.svc:8080')).toEqual({ host: 'canary.writ.svc', port: 8080 });
  // With brackets as URLs have it, and without as `$(POD_IP):PORT` makes it.
  const both = ['[fd00::1]:443', 'fd00::1:443'].map(parseHostPort);
  expect(both).toEqual([0, 1].map(() => ({ host: 'fd00::1', port: 443 })));
});

test.each(['', 'canary', 'canary:0', 'canary:70000', 'http://canary:80', '[canary]:'])('`%s` is no place', (text) => {
  expect(() => parseHostPort(text)).toThrow('is no `host:port`');
});

test("a canary that answers is told by its address, and one that doesn't is told what to do", async () => {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(
    await new Canaries([
      { host: 'localhost', port },
      { host: '127.0.0.1', port },
    ]).standing(),
  ).toEqual([`127.0.0.1:${port}`]);
  server.close();
  await once(server, 'close');
  await expect(new Canaries([{ host: '127.0.0.1', port }]).standing()).rejects.toThrow(
    'see that it listens, and that network policies let this executor reach it',
  );
  await expect(new Canaries([{ host: 'no-such-name.invalid', port }]).standing()).rejects.toThrow('has no address');
});
