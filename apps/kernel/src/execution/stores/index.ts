// SPDX-License-Identifier: Apache-2.0
export { ensureStore } from './ensure-store.ts';
export { storeChangeOf } from './store-change.ts';
