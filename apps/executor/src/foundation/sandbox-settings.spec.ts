// SPDX-License-Identifier: Apache-2.0
import { sandboxSettings, type SandboxVariables } from './sandbox-settings.ts';

const settings = (config: Partial<SandboxVariables>) =>
  sandboxSettings({ WRIT_SANDBOX_DRIVER: 'docker', DOCKER_HOST: 'unix:///run/docker.sock', ...config });
const PODS = {
  WRIT_SANDBOX_DRIVER: 'kubernetes',
  WRIT_SANDBOX_NAMESPACE: 'sandboxes',
  WRIT_SANDBOX_IMAGE: 'registry.example/s:1',
  WRIT_SANDBOX_CANARY: '10.0.0.1:80',
} as const;

describe('the sandbox driver', () => {
  it('is Docker by default', () => {
    expect(settings({})).toEqual({ driver: 'docker', host: 'unix:///run/docker.sock' });
    expect(settings({ WRIT_SANDBOX_RUNTIME: 'runsc' })).toMatchObject({ driver: 'docker', runtime: 'runsc' });
  });

  it('is Kubernetes when all its required variables are set', () => {
    expect(settings(PODS)).toEqual({
      driver: 'kubernetes',
      namespace: 'sandboxes',
      image: 'registry.example/s:1',
      canary: '10.0.0.1:80',
    });
    expect(settings({ ...PODS, WRIT_SANDBOX_RUNTIME_CLASS: 'gvisor', WRIT_KUBECONFIG_FILE: '/k' })).toMatchObject({
      runtimeClass: 'gvisor',
      kubeconfig: '/k',
    });
    for (const hostUsers of [false, true])
      expect(settings({ ...PODS, WRIT_SANDBOX_HOST_USERS: hostUsers })).toMatchObject({ hostUsers });
    expect(settings({ ...PODS, WRIT_SANDBOX_CLAIMS: 'w-writ' })).toMatchObject({ warmPools: 'w-writ' });
  });

  it('reports every missing variable of the driver kubernetes at once', () => {
    expect(() => settings({ WRIT_SANDBOX_DRIVER: 'kubernetes', WRIT_SANDBOX_IMAGE: 'x:1' })).toThrow(
      /WRIT_SANDBOX_NAMESPACE is not set[^]*WRIT_SANDBOX_CANARY is not set/,
    );
    expect(() => settings({ WRIT_SANDBOX_DRIVER: 'kubernetes', WRIT_SANDBOX_IMAGE: 'x:1' })).not.toThrow(
      'WRIT_SANDBOX_IMAGE is not set',
    );
  });

  it('refuses variables that only the other driver reads', () => {
    expect(() => settings({ WRIT_SANDBOX_RUNTIME_CLASS: 'gvisor' })).toThrow(
      'WRIT_SANDBOX_RUNTIME_CLASS is read by the driver `kubernetes` alone: set WRIT_SANDBOX_DRIVER=kubernetes',
    );
    expect(() => settings({ WRIT_SANDBOX_HOST_USERS: false })).toThrow(
      'WRIT_SANDBOX_HOST_USERS is read by the driver `kubernetes` alone',
    );
    expect(() => settings({ WRIT_SANDBOX_CLAIMS: 'w-writ' })).toThrow(
      'WRIT_SANDBOX_CLAIMS is read by the driver `kubernetes` alone',
    );
    expect(() => settings({ ...PODS, WRIT_SANDBOX_RUNTIME: 'runsc' })).toThrow(
      'set WRIT_SANDBOX_RUNTIME_CLASS in its place',
    );
  });
});
