// SPDX-License-Identifier: Apache-2.0
// A server whose certificate is from an authority that Node.js does not have, as in a deployment with its own NATS.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newCertificateAuthority, startNatsServer, type TestNatsServer } from '@writ/testing';
import { connectNats } from './connect.ts';
import { natsServerConfig } from './server-config.ts';

const password = 'a-password-of-a-test';
const users = { orchestrator: password, kernel: password, executor: password, ledger: password };

let folder: string;
let server: TestNatsServer;
let caFile: string;
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-nats-tls-'));
  const authority = await newCertificateAuthority();
  const { cert, key } = await authority.issue([{ type: 'dns', value: 'localhost' }]);
  caFile = file('ca.crt', authority.cert);
  const tls = { certFile: file('tls.crt', cert), keyFile: file('tls.key', key) };
  server = await startNatsServer((place) =>
    natsServerConfig({ ...place, users, serverName: 'test', shard: 's0', tls }),
  );
}, 60_000);
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

const connect = (given: { readonly scheme?: string; readonly caFile?: string }) =>
  connectNats({
    url: `${given.scheme ?? 'tls'}://localhost:${server.port}`,
    user: 'kernel',
    password,
    ...(given.caFile === undefined ? {} : { caFile: given.caFile }),
  });

it('connects if the CA file holds the authority of the server', async () => {
  const connection = await connect({ caFile });
  await connection.flush();
  await connection.close();
});

it('does not connect without a CA file', async () => {
  await expect(connect({})).rejects.toThrow();
});

it('does not connect if the CA file holds another authority', async () => {
  const other = file('other.crt', (await newCertificateAuthority()).cert);
  await expect(connect({ caFile: other })).rejects.toThrow();
});

it('names the CA file and its variable if the file cannot be read', async () => {
  await expect(connect({ caFile: join(folder, 'none.crt') })).rejects.toThrow(/none\.crt` \(WRIT_NATS_CA_FILE\)/);
});

it('refuses a CA file with an address without encryption', async () => {
  await expect(connect({ scheme: 'nats', caFile })).rejects.toThrow(/WRIT_NATS_URL.*tls:\/\//);
});
