// SPDX-License-Identifier: Apache-2.0
import { natsServerConfig, type NatsServerSettings } from './server-config.ts';

const password = 'a-password-of-a-test';
const settings: NatsServerSettings = {
  host: '127.0.0.1',
  port: 4222,
  storeDir: '/var/lib/writ/nats',
  serverName: 'writ-s0',
  shard: 's0',
  users: { orchestrator: password, kernel: password, executor: password, ledger: password },
};

test('every process has a user, and only those that serve may respond', () => {
  const text = natsServerConfig(settings);
  expect(text.match(/user: "\w+"/g)).toEqual([
    'user: "orchestrator"',
    'user: "kernel"',
    'user: "executor"',
    'user: "ledger"',
  ]);
  expect(text.match(/allow_responses/g)).toHaveLength(2);
});

test.each([
  'short',
  'with space in the middle',
  'quote"quote"quote"',
  '$2a$11$looks-like-bcrypt',
  `line\nbreak-line-break`,
])('the password `%s` is refused', (kernel) => {
  expect(() => natsServerConfig({ ...settings, users: { ...settings.users, kernel } })).toThrow(/password of `kernel`/);
});

test('a host beyond loopback needs TLS', () => {
  expect(() => natsServerConfig({ ...settings, host: '0.0.0.0' })).toThrow(/tls/);
  expect(natsServerConfig({ ...settings, host: '0.0.0.0', tls: { certFile: '/c.pem', keyFile: '/k.pem' } })).toContain(
    'cert_file: "/c.pem"',
  );
});

test('a path with a quote stays one string', () => {
  expect(natsServerConfig({ ...settings, storeDir: '/a "b"\\c' })).toContain('store_dir: "/a \\"b\\"\\\\c"');
});

test('the server drops a client that answers no pings within seconds', () => {
  expect(natsServerConfig(settings)).toMatch(/^ping_interval: "5s"\nping_max: 2$/m);
});
