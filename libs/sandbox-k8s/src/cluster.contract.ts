// SPDX-License-Identifier: Apache-2.0
import { CLUSTER } from './test-namespace.contract.ts';

export { DIGEST, REFERENCE, TestNamespace } from './test-namespace.contract.ts';

/** Runs a suite on a real cluster; where none is named it is skipped, and the run says so. */
export const onCluster = describe.skipIf(CLUSTER === undefined);
