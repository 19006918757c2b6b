// SPDX-License-Identifier: Apache-2.0
import { createPool } from '@writ/database';
import { infoStoreContract } from '@writ/info-store/contract';
import { testDatabase } from '@writ/testing';
import { PgInfoStorePublisher } from './pg-info-store-publisher.ts';
import { PgInfoStore } from './pg-info-store.ts';

infoStoreContract('Postgres', async () => {
  const database = await testDatabase();
  const [executor, kernel] = (['writ_executor', 'writ_kernel'] as const).map((role) =>
    createPool({ url: database.urlFor(role), applicationName: 'spec', max: 4 }),
  );
  const store = new PgInfoStore(executor!);
  return {
    store,
    publisher: new PgInfoStorePublisher(kernel!),
    close: async () => {
      await store.close();
      await executor!.end();
      await kernel!.end();
      await database.drop();
    },
  };
});
