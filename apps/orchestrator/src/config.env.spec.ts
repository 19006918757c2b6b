// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvironmentError } from '@writ/nest-kit';
import { textsWithMeaning, WRONG_COMMON_TEXTS, WRONG_OUTBOUND_TEXTS } from '@writ/testing';
import { Environment, readConfig } from './config.env.ts';
import { HttpAdapter } from './edge/server/http-adapter.ts';

const dir = mkdtempSync(join(tmpdir(), 'writ-config-'));
afterAll(() => rmSync(dir, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
const env = {
  WRIT_NATS_URL: 'nats://127.0.0.1:4222',
  WRIT_ORCHESTRATOR_DATABASE_URL: 'postgres://u:p@127.0.0.1/writ',
  WRIT_PLATFORM_KEY_HASH_FILE: file('hash', `${'ab'.repeat(32)}\n`),
  WRIT_RECORD_PUBLIC_KEYS_FILE: file('record.json', '{"keys":[{"keyid":"k","jwk":{"kty":"OKP"},"note":1}]}'),
  WRIT_WEBHOOK_KEY_FILE: file('webhook.key', `${Buffer.alloc(32, 7).toString('base64')}\n`),
  WRIT_LOG_PUBLIC_KEYS_FILE: file('log.json', '{"keys":["writ.local+00000000+AAAA"]}'),
};

it('reads variables and files', () => {
  const config = readConfig(env);
  expect(config).toMatchObject({
    WRIT_HTTP_HOST: '127.0.0.1',
    WRIT_HTTP_PORT: 0,
    WRIT_RATE_PER_SECOND: 200,
    WRIT_RATE_BURST: 400,
    WRIT_SHARD: 's0',
    natsPassword: undefined,
  });
  expect(config.platformKeyHash).toEqual(Buffer.alloc(32, 0xab));
  expect([config.webhookKey, config.webhookAllowed]).toEqual([Buffer.alloc(32, 7), new Set()]);
  expect(readConfig({ ...env, WRIT_WEBHOOK_ALLOW: '127.0.0.1:9,hooks:80' }).webhookAllowed).toEqual(
    new Set(['127.0.0.1:9', 'hooks:80']),
  );
  expect(config.published.keys).toEqual({
    record_keys: [{ keyid: 'k', jwk: { kty: 'OKP' } }],
    log_keys: ['writ.local+00000000+AAAA'],
  });
});

it('names every variable that is missing or wrong, and no value', () => {
  expect(() => readConfig({ WRIT_HTTP_PORT: 'secret', WRIT_NATS_URL: 'http://x' })).toThrow(
    /WRIT_NATS_URL is wrong[\s\S]*WRIT_HTTP_PORT is wrong[\s\S]*WRIT_ORCHESTRATOR_DATABASE_URL is not set/,
  );
  expect(() => readConfig({ ...env, WRIT_HTTP_PORT: 'secret' })).not.toThrow(/secret/);
});

it.each([
  ['WRIT_PLATFORM_KEY_HASH_FILE', 'the key itself'],
  ['WRIT_RECORD_PUBLIC_KEYS_FILE', '{"keys":[]}'],
  ['WRIT_RECORD_PUBLIC_KEYS_FILE', 'x'],
  ['WRIT_LOG_PUBLIC_KEYS_FILE', '{"keys":["x"]}'],
  ['WRIT_WEBHOOK_KEY_FILE', 'c2hvcnQ='],
])('starts with no `%s` that says %s', (name, text) => {
  expect(() => readConfig({ ...env, [name]: file('wrong', text) })).toThrow();
});

const WRONG: Readonly<Record<string, string>> = {
  ...WRONG_COMMON_TEXTS,
  ...WRONG_OUTBOUND_TEXTS,
  WRIT_HTTP_HOST: '0.0.0.0:80',
  WRIT_MCP_HOSTS: 'https://writ.example',
  WRIT_ORCHESTRATOR_DATABASE_URL: 'postgres://',
  WRIT_PLATFORM_KEY_HASH_FILE: '/nowhere',
  WRIT_RECORD_PUBLIC_KEYS_FILE: '/nowhere',
  WRIT_LOG_PUBLIC_KEYS_FILE: '/nowhere',
  WRIT_WEBHOOK_KEY_FILE: '/nowhere',
  WRIT_WEBHOOK_ALLOW: 'hooks',
  WRIT_MODELS_FILE: '/nowhere',
  WRIT_TRUSTED_PROXIES: 'ingress',
  WRIT_PUBLIC_URL: 'http://writ.example.org',
  WRIT_AUTHORIZATION_SERVERS: 'login',
  WRIT_ISSUER_ALLOW: 'login',
};

it('has an invalid text in this spec for each variable with its own format', () => {
  expect(Object.keys(WRONG).sort()).toEqual(textsWithMeaning(Environment));
});

it.each(Object.entries(WRONG))('a wrong %s (`%s`) is an EnvironmentError that names it', (name, text) => {
  const attempt = (): unknown => readConfig({ ...env, [name]: text });
  expect(attempt).toThrow(EnvironmentError);
  expect(attempt).toThrow(name);
});

it('sessions of API keys need the public URL', () => {
  const attempt = (): unknown => readConfig({ ...env, WRIT_KEY_SESSIONS: 'true' });
  expect(attempt).toThrow(EnvironmentError);
  expect(attempt).toThrow(/WRIT_KEY_SESSIONS needs WRIT_PUBLIC_URL/);
  const url = 'http://127.0.0.1:7480';
  expect(readConfig({ ...env, WRIT_KEY_SESSIONS: 'true', WRIT_PUBLIC_URL: url }).WRIT_KEY_SESSIONS).toBe(true);
  expect(readConfig({ ...env, WRIT_PUBLIC_URL: url }).WRIT_KEY_SESSIONS).toBe(false);
});

it.each(['10.0.0.0/8', '10.0.0.1,fd00::/8', '::1, 127.0.0.0/8', 'loopback'])(
  'proxies at `%s` are trusted, and Fastify takes them',
  (text) => {
    expect(readConfig({ ...env, WRIT_TRUSTED_PROXIES: text }).WRIT_TRUSTED_PROXIES).toBe(text);
    expect(() => new HttpAdapter(() => [], text)).not.toThrow();
  },
);

it.each(['ingress', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.0/8/8', '10.0.0.1,', 'true', '1', 'fe80::1%eth0'])(
  'proxies at `%s` are refused with what was found and what is allowed',
  (text) => {
    expect(() => readConfig({ ...env, WRIT_TRUSTED_PROXIES: text })).toThrow(
      /WRIT_TRUSTED_PROXIES is wrong: `.*` is neither an address nor a CIDR block, .*expected: proxies/,
    );
  },
);
