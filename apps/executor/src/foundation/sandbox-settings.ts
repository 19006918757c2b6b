// SPDX-License-Identifier: Apache-2.0
import { EnvironmentError } from '@writ/nest-kit';

export interface DockerSettings {
  readonly driver: 'docker';
  readonly host: string;
  /** the engine's runtime; absent: its default */
  readonly runtime?: string;
}

export interface KubernetesSettings {
  readonly driver: 'kubernetes';
  readonly namespace: string;
  /** how nodes pull the image of the configured digest */
  readonly image: string;
  /** `host:port` that must refuse a pod before a call runs in it */
  readonly canary: string;
  readonly runtimeClass?: string;
  /** whether pods share the users of their node; absent: the cluster decides */
  readonly hostUsers?: boolean;
  /** prefix of the SandboxWarmPools whose pods are claimed; absent: the executor makes pods itself */
  readonly warmPools?: string;
  /** absent: the pod's own service account */
  readonly kubeconfig?: string;
}

/** The variables of the environment that settings are read from, as `config.env.ts` describes them. */
export interface SandboxVariables {
  readonly WRIT_SANDBOX_DRIVER: 'docker' | 'kubernetes';
  readonly WRIT_SANDBOX_NAMESPACE?: string;
  readonly WRIT_SANDBOX_IMAGE?: string;
  readonly WRIT_SANDBOX_CANARY?: string;
  readonly WRIT_SANDBOX_RUNTIME_CLASS?: string;
  readonly WRIT_SANDBOX_HOST_USERS?: boolean;
  readonly WRIT_SANDBOX_CLAIMS?: string;
  readonly WRIT_KUBECONFIG_FILE?: string;
  readonly WRIT_SANDBOX_RUNTIME?: string;
  readonly DOCKER_HOST: string;
}

/** The variables that the driver `kubernetes` requires. */
const REQUIRED = ['WRIT_SANDBOX_NAMESPACE', 'WRIT_SANDBOX_IMAGE', 'WRIT_SANDBOX_CANARY'] as const;
const KUBERNETES_ONLY = [
  ...REQUIRED,
  'WRIT_SANDBOX_RUNTIME_CLASS',
  'WRIT_SANDBOX_HOST_USERS',
  'WRIT_SANDBOX_CLAIMS',
  'WRIT_KUBECONFIG_FILE',
] as const;

const PURPOSE: Readonly<Record<(typeof REQUIRED)[number], string>> = {
  WRIT_SANDBOX_NAMESPACE: "the namespace in which sandboxes' pods live",
  WRIT_SANDBOX_IMAGE: 'the reference by which nodes pull the sandbox image',
  WRIT_SANDBOX_CANARY: 'the `host:port` that must refuse a pod before a call runs in it',
};

/**
 * The settings of the chosen driver. Throws EnvironmentError that names each variable which that driver lacks, and each
 * which only another driver reads: an operator who sets one of those relies on a sandbox that doesn't exist.
 */
export function sandboxSettings(config: SandboxVariables): DockerSettings | KubernetesSettings {
  const isSet = (name: keyof SandboxVariables): boolean => config[name] !== undefined;
  if (config.WRIT_SANDBOX_DRIVER === 'docker') {
    const problems = KUBERNETES_ONLY.filter(isSet).map(
      (name) => `${name} is read by the driver \`kubernetes\` alone: set WRIT_SANDBOX_DRIVER=kubernetes, or unset it`,
    );
    if (problems.length > 0) throw new EnvironmentError(problems);
    return {
      driver: 'docker',
      host: config.DOCKER_HOST,
      ...(config.WRIT_SANDBOX_RUNTIME === undefined ? {} : { runtime: config.WRIT_SANDBOX_RUNTIME }),
    };
  }
  const { WRIT_SANDBOX_NAMESPACE: namespace, WRIT_SANDBOX_IMAGE: image, WRIT_SANDBOX_CANARY: canary } = config;
  const problems = REQUIRED.filter((name) => !isSet(name)).map(
    (name) => `${name} is not set, and WRIT_SANDBOX_DRIVER=kubernetes needs it: ${PURPOSE[name]}`,
  );
  if (isSet('WRIT_SANDBOX_RUNTIME'))
    problems.push(
      'WRIT_SANDBOX_RUNTIME is read by the driver `docker` alone: set WRIT_SANDBOX_RUNTIME_CLASS in its place',
    );
  if (problems.length > 0 || namespace === undefined || image === undefined || canary === undefined)
    throw new EnvironmentError(problems);
  return {
    driver: 'kubernetes',
    namespace,
    image,
    canary,
    ...(config.WRIT_SANDBOX_RUNTIME_CLASS === undefined ? {} : { runtimeClass: config.WRIT_SANDBOX_RUNTIME_CLASS }),
    ...(config.WRIT_SANDBOX_HOST_USERS === undefined ? {} : { hostUsers: config.WRIT_SANDBOX_HOST_USERS }),
    ...(config.WRIT_SANDBOX_CLAIMS === undefined ? {} : { warmPools: config.WRIT_SANDBOX_CLAIMS }),
    ...(config.WRIT_KUBECONFIG_FILE === undefined ? {} : { kubeconfig: config.WRIT_KUBECONFIG_FILE }),
  };
}
