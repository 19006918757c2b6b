// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsServerConfig } from '@writ/bus-nats';
import { writeNatsConfig } from './nats-config.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-nats-config-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});
const write = (keys: string): string => {
  const out = join(dir, 'nats.conf');
  writeNatsConfig(
    { keys, out, keysAtServer: '/etc/writ/keys', storeDir: '/data', port: 4222, shard: 's0' },
    natsServerConfig,
  );
  return out;
};

it("the NATS configuration has each process' password and the server's certificate, with mode 600", () => {
  const keys = join(dir, 'nats-server');
  mkdirSync(keys);
  for (const process of ['orchestrator', 'kernel', 'executor', 'ledger'])
    writeFileSync(join(keys, process), `the-password-of-${process}\n`);
  const out = write(keys);
  const text = readFileSync(out, 'utf8');
  for (const process of ['orchestrator', 'kernel', 'executor', 'ledger'])
    expect(text).toContain(`{ user: "${process}", password: "the-password-of-${process}"`);
  expect(text).toContain('cert_file: "/etc/writ/keys/tls.crt"');
  expect(statSync(out).mode & 0o777).toBe(0o600);
});

it('the NATS configuration is not written without the passwords, and the failure names them', () => {
  expect(() => write(join(dir, 'nowhere'))).toThrow(
    `\`${join(dir, 'nowhere', 'orchestrator')}\` can't be read (ENOENT): run \`keys\` with \`--nats-host\` first`,
  );
});
