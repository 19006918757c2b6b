// SPDX-License-Identifier: Apache-2.0
import { clusterPaths, linkName } from './paths.ts';

test("a state directory that the node can't see is refused", () => {
  expect(() => clusterPaths('/run/writ')).toThrow(
    "the cluster can't keep its state in /run/writ: its node has a /run of its own",
  );
  expect(() => clusterPaths('/var/log')).toThrow('has a /var/log of its own');
  expect(clusterPaths('/srv/run/writ').kubeconfig).toBe('/srv/run/writ/kubeconfig');
});

test("the link's name fits into the kernel's fifteen characters", () => {
  expect(linkName({ stateId: '0123456789ab' })).toBe('writ-01234567');
});
