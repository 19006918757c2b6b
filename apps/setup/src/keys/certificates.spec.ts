// SPDX-License-Identifier: Apache-2.0
import { connect, createServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { newAuthority, newPrivateKey, serverCertificate } from './certificates.ts';

async function issued(hosts: readonly string[]): Promise<{ ca: string; cert: string; key: string }> {
  const [caKey, key] = [newPrivateKey(), newPrivateKey()];
  const ca = await newAuthority(caKey, new Date());
  return { ca, key, cert: await serverCertificate({ hosts, key, ca: { key: caKey, cert: ca } }, new Date()) };
}

/** Null where the client trusts the server under that name; otherwise the system's error code. */
async function handshake(
  { ca, cert, key }: { ca: string; cert: string; key: string },
  servername: string,
): Promise<string | null> {
  const server = createServer({ cert, key }, (socket) => socket.end());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    return await new Promise((resolve) => {
      const socket = connect(
        { host: '127.0.0.1', port: (server.address() as AddressInfo).port, ca, servername },
        () => {
          resolve(null);
        },
      );
      socket
        .on('error', (error: NodeJS.ErrnoException) => {
          resolve(error.code ?? error.message);
        })
        .on('close', () => socket.destroy());
    });
  } finally {
    server.close();
  }
}

it.each(['writ-nats', 'writ-nats.writ.svc.cluster.local'])(
  'a server is trusted under its requested name `%s`',
  async (name) => {
    expect(await handshake(await issued(['writ-nats', 'writ-nats.writ.svc.cluster.local']), name)).toBeNull();
  },
);

it('a server is trusted under no other name, and by no other authority', async () => {
  const one = await issued(['writ-nats']);
  expect(await handshake(one, 'writ-postgres')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  expect(await handshake({ ...one, ca: (await issued(['writ-nats'])).ca }, 'writ-nats')).not.toBeNull();
});
