// SPDX-License-Identifier: Apache-2.0
import { connect } from '@writ/database';
import { testDatabase } from '@writ/testing';

test("what a session did, what is cached of it, and resources are read by one plan, whatever the statistics are, and everything else by the server's choice", async () => {
  const database = await testDatabase();
  const client = await connect(database.ownerUrl, 'writ-kernel-spec');
  try {
    const { rows } = await client.query<{ name: string }>(`
      SELECT p.proname AS name FROM pg_proc p
      WHERE p.pronamespace = 'kernel'::regnamespace AND EXISTS (SELECT 1 FROM unnest(p.proconfig) setting WHERE setting LIKE 'plan_cache_mode=%') ORDER BY p.proname COLLATE "C"`);
    expect(rows.map(({ name }) => name)).toEqual(['resources_for', 'session_past', 'stands_remembered']);
  } finally {
    await client.end();
    await database.drop();
  }
}, 120_000);
