// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvironmentError } from '@writ/nest-kit';
import { newKey } from '@writ/nest-kit/keys';
import { textsWithMeaning, WRONG_COMMON_TEXTS, WRONG_OUTBOUND_TEXTS } from '@writ/testing';
import { Environment, readConfig } from './config.env.ts';
import { ExecutorModule } from './executor.module.ts';

const dir = mkdtempSync(join(tmpdir(), 'writ-config-'));
afterAll(() => rmSync(dir, { recursive: true }));
const { keyid, publicJwk: jwk } = newKey().signer;
const permitKeys = join(dir, 'permit.json');
writeFileSync(permitKeys, JSON.stringify({ keys: [{ keyid, jwk }] }));

const DIGEST = `sha256:${'0'.repeat(64)}`;
const DOCKER = {
  WRIT_NATS_URL: 'tls://127.0.0.1:1',
  WRIT_EXECUTOR_DATABASE_URL: 'postgres://a@127.0.0.1:1/writ',
  WRIT_PERMIT_PUBLIC_KEYS_FILE: permitKeys,
  WRIT_SANDBOX_IMAGE_DIGEST: DIGEST,
  WRIT_CACHE_DIR: dir,
};
const PODS = {
  ...DOCKER,
  WRIT_SANDBOX_DRIVER: 'kubernetes',
  WRIT_SANDBOX_NAMESPACE: 'sandboxes',
  WRIT_SANDBOX_IMAGE: `registry.example/sandbox@${DIGEST}`,
  WRIT_SANDBOX_CANARY: '10.0.0.1:80',
};
const read = (env: Readonly<Record<string, string>>): void => ExecutorModule.verify(readConfig(env));

const WRONG: Readonly<Record<string, string>> = {
  ...WRONG_COMMON_TEXTS,
  ...WRONG_OUTBOUND_TEXTS,
  WRIT_EXECUTOR_DATABASE_URL: 'postgres://',
  WRIT_EXECUTOR_ID: 'exe_1',
  WRIT_PERMIT_PUBLIC_KEYS_FILE: '/nowhere',
  WRIT_SANDBOX_DRIVER: 'podman',
  WRIT_SANDBOX_NAMESPACE: 'Sandboxes',
  WRIT_SANDBOX_IMAGE: 'registry.example/sandbox:latest',
  WRIT_SANDBOX_RUNTIME_CLASS: 'G',
  WRIT_SANDBOX_CLAIMS: 'A',
  WRIT_SANDBOX_CANARY: 'canary:99999',
  WRIT_KUBECONFIG_FILE: '/nowhere',
  WRIT_SANDBOX_IMAGE_DIGEST: 'latest',
  WRIT_SANDBOX_IMAGES_FILE: '/nowhere',
  WRIT_IMAGE_BUILDS_FILE: '/nowhere',
  WRIT_SANDBOX_LABEL: 'a b',
  DOCKER_HOST: 'tcp://',
  WRIT_RESOURCE_HOSTS: 'a.lan:99999',
};

describe('the configuration of an executor', () => {
  it('is accepted when each variable is valid, for both drivers', () => {
    expect(() => read(DOCKER)).not.toThrow();
    expect(() => read(PODS)).not.toThrow();
  });

  it('has an invalid example in this spec for each variable with a parsed text', () => {
    expect(Object.keys(WRONG).sort()).toEqual(textsWithMeaning(Environment));
  });

  it.each(Object.entries(WRONG))('with a wrong %s (`%s`) throws an EnvironmentError that names it', (name, text) => {
    const attempt = (): void => read({ ...PODS, [name]: text });
    expect(attempt).toThrow(EnvironmentError);
    expect(attempt).toThrow(name);
  });
});
