// SPDX-License-Identifier: Apache-2.0
//
// `go install` can't install Kubernetes: its go.mod replaces its own parts with folders of its repository. A module of
// ours requires it, replaces those parts with their published versions, and builds the same programs.

/** The programs of a node and its control plane, each a package below `k8s.io/kubernetes/cmd`. */
export const KUBERNETES_PROGRAMS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'kubectl',
] as const;

export type KubernetesProgram = (typeof KUBERNETES_PROGRAMS)[number];

export const KUBERNETES_MODULE = 'k8s.io/kubernetes';

/** A part within Kubernetes' own repository: `k8s.io/api => ./staging/src/k8s.io/api`. */
const STAGED = /^\s*(?:replace\s+)?(k8s\.io\/[\w.-]+) => \.\/staging\//gm;

/** Directives for Go's compiler: equal to upstream's, so that the programs behave the same. */
const DIRECTIVE = /^(?:go|godebug) .+$/gm;

const minorPatch = (version: string): string => version.replace(/^1\./, '');

/**
 * The text of a go.mod that builds Kubernetes.
 *
 * @param upstream the text of Kubernetes' own go.mod
 * @param version for example `1.35.4`
 * @throws Error where the text has no part to replace, which shows a changed form
 */
export const kubernetesGoMod = (upstream: string, version: string): string => {
  const staged = [...upstream.matchAll(STAGED)].map(([, name]) => name as string);
  if (staged.length === 0)
    throw new Error(`go.mod of Kubernetes ${version} replaces no part by a folder: its form has changed`);
  return [
    'module writ.local/kubernetes',
    '',
    ...(upstream.match(DIRECTIVE) ?? []),
    '',
    `require ${KUBERNETES_MODULE} v${version}`,
    '',
    'replace (',
    ...staged.map((name) => `\t${name} => ${name} v0.${minorPatch(version)}`),
    ')',
    '',
  ].join('\n');
};

/** The variables in the programs that hold their version. */
export const kubernetesVariables = (version: string): Record<string, string> => {
  const [major = '', minor = ''] = version.split('.');
  const stamp = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  return Object.fromEntries(
    ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) =>
      Object.entries(stamp).map(([name, value]) => [`${path}.${name}`, value]),
    ),
  );
};
