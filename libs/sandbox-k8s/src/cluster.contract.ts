// SPDX-License-Identifier: Apache-2.0
import { CLUSTER, hasClaims } from './test-namespace.contract.ts';

export { DIGEST, REFERENCE, TestNamespace, WARM_POOLS } from './test-namespace.contract.ts';

/** Runs a suite on a real cluster; without one it is skipped, and the output says so. */
export const onCluster = describe.skipIf(CLUSTER === undefined);

/** The same on a cluster with agent-sandbox: its CRDs, and its controller with the extensions. */
export const onClaims = async (name: string, specs: () => void): Promise<void> => {
  const isThere = CLUSTER !== undefined && (await hasClaims());
  describe.skipIf(!isThere)(
    isThere ? name : `${name} (skipped: no cluster with kubernetes-sigs/agent-sandbox is named)`,
    specs,
  );
};
