// SPDX-License-Identifier: Apache-2.0
import { infoStoreContract } from './info-store.contract.ts';
import { MemoryInfoStore, MemoryInfoStorePublisher, memoryStores } from './memory-info-store.ts';

infoStoreContract('the fake', async () => {
  const state = memoryStores(Date.now);
  return {
    store: new MemoryInfoStore(state),
    publisher: new MemoryInfoStorePublisher(state),
    close: async () => undefined,
  };
});
