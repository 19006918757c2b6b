// SPDX-License-Identifier: Apache-2.0
export { Collect, type Collected, type CollectOptions } from './collect.ts';
export { GcRoots } from './gc-roots.ts';
export { CollectStores } from './collect-stores.ts';
