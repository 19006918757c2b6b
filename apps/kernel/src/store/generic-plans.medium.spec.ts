// SPDX-License-Identifier: Apache-2.0
import { connect } from '@writ/database';
import { testDatabase } from '@writ/testing';

/** What is called for every call, on its way from the question to its end. */
const PATH = ['admit', 'attempt_facts', 'dispatch', 'facts', 'finish', 'redeem'];

test('the functions on the path of a call plan once, whatever the statistics say', async () => {
  const database = await testDatabase();
  const client = await connect(database.ownerUrl, 'writ-kernel-spec');
  try {
    const { rows } = await client.query<{ name: string }>(`
      SELECT p.proname AS name FROM pg_proc p
      WHERE p.pronamespace = 'kernel'::regnamespace AND 'plan_cache_mode=force_generic_plan' = ANY (p.proconfig) ORDER BY p.proname COLLATE "C"`);
    expect(rows.map(({ name }) => name)).toEqual(PATH);
  } finally {
    await client.end();
    await database.drop();
  }
}, 60_000);
