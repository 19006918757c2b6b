// SPDX-License-Identifier: Apache-2.0

/** A program from a published Go module. A changed row is another program, which is built anew. */
export interface GoTool {
  /** The module and the package in it that `go install` builds. */
  readonly package: string;
  /** The module's version, with its `v`. */
  readonly version: string;
  /** The purpose, as the end of "NAME is needed …". */
  readonly why: string;
  /** Linker variables, by which the programs know their own version. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The Kubernetes version for rendering charts, and of the local cluster. */
export const KUBERNETES_VERSION = '1.35.4';

const [MAJOR = '', MINOR = ''] = KUBERNETES_VERSION.split('.');

/**
 * Helm's build sets the Kubernetes version that it renders for. Without it, it assumes 1.20 and refuses charts for
 * later ones.
 */
const helmVariables = (version: string): Record<string, string> => ({
  'helm.sh/helm/v3/internal/version.version': version,
  'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor': MAJOR,
  'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor': MINOR,
  'helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor': MAJOR,
  'helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor': MINOR,
});

const HELM = 'v3.22.0';
const KUBECONFORM = 'v0.7.0';

/** Every Go program of the set-up, except Kubernetes itself, which can't be installed as a module. */
export const GO_TOOLS = {
  helm: {
    package: 'helm.sh/helm/v3/cmd/helm',
    version: HELM,
    why: 'to render, check and install the chart',
    variables: helmVariables(HELM),
  },
  kubeconform: {
    package: 'github.com/yannh/kubeconform/cmd/kubeconform',
    version: KUBECONFORM,
    why: 'to check manifests against the schemas of Kubernetes',
    variables: { 'main.version': KUBECONFORM },
  },
  'kube-score': {
    package: 'github.com/zegl/kube-score/cmd/kube-score',
    version: 'v1.20.0',
    why: 'to check manifests against good practice',
  },
  conftest: {
    package: 'github.com/open-policy-agent/conftest',
    version: 'v0.71.1',
    why: 'to check manifests against policies',
  },
  coredns: {
    package: 'github.com/coredns/coredns',
    version: 'v1.12.4',
    why: 'as the name server of the local cluster',
  },
  'kube-router': {
    package: 'github.com/cloudnativelabs/kube-router/v2/cmd/kube-router',
    version: 'v2.1.0',
    why: 'to enforce network policies in the local cluster',
  },
  'metrics-server': {
    package: 'sigs.k8s.io/metrics-server/cmd/metrics-server',
    version: 'v0.8.0',
    why: 'for autoscaling in the local cluster',
  },
  promtool: {
    package: 'github.com/prometheus/prometheus/cmd/promtool',
    version: 'v0.313.5',
    why: 'to check alert rules and queries',
  },
  cosign: {
    package: 'github.com/sigstore/cosign/v3/cmd/cosign',
    version: 'v3.1.3',
    why: 'to sign images and the chart, and to verify their signatures',
  },
  crane: {
    package: 'github.com/google/go-containerregistry/cmd/crane',
    version: 'v0.22.1',
    why: 'to copy images into a registry, and as the registry of tests',
  },
} as const satisfies Record<string, GoTool>;

export type GoToolName = keyof typeof GO_TOOLS;
