// SPDX-License-Identifier: Apache-2.0
import { kubernetesGoMod, kubernetesVariables } from './kubernetes-module.ts';

const UPSTREAM = `module k8s.io/kubernetes

go 1.25.0

godebug default=go1.25

require (
	github.com/blang/semver/v4 v4.0.0
	k8s.io/api v0.0.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/cli-runtime => ./staging/src/k8s.io/cli-runtime
)
`;

test('the module requires Kubernetes, and its parts in their published versions', () => {
  expect(kubernetesGoMod(UPSTREAM, '1.35.4')).toBe(`module writ.local/kubernetes

go 1.25.0
godebug default=go1.25

require k8s.io/kubernetes v1.35.4

replace (
	k8s.io/api => k8s.io/api v0.35.4
	k8s.io/cli-runtime => k8s.io/cli-runtime v0.35.4
)
`);
});

test('a go.mod in another form is refused', () => {
  expect(() => kubernetesGoMod('module k8s.io/kubernetes\n\ngo 1.25.0\n', '1.36.0')).toThrow(
    'replaces no part by a folder',
  );
});

test('the programs get their version', () => {
  expect(kubernetesVariables('1.35.4')).toMatchObject({
    'k8s.io/component-base/version.gitVersion': 'v1.35.4',
    'k8s.io/component-base/version.gitMinor': '35',
    'k8s.io/client-go/pkg/version.gitMajor': '1',
  });
});
