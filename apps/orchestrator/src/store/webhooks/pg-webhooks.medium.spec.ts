// SPDX-License-Identifier: Apache-2.0
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { newMessage, newWebhook, webhooksContract } from './webhooks.contract.ts';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { PgDeliveries } from './pg-deliveries.ts';
import { PgWebhooks } from './pg-webhooks.ts';

let store: TestStore;
let webhooks: PgWebhooks;
let deliveries: PgDeliveries;

beforeAll(async () => {
  store = await testStore();
  webhooks = new PgWebhooks(store.pool);
  deliveries = new PgDeliveries(store.pool);
}, 120_000);
afterAll(async () => {
  await store.drop();
});

webhooksContract('Postgres', {
  webhooks: () => webhooks,
  deliveries: () => deliveries,
  // Time is the database's clock, so stored times are moved into the past.
  advance: async (ms) => {
    await store.admin.query(
      'UPDATE orchestrator.webhook SET old_until = old_until - $1, failing_since = failing_since - $1, created_at = created_at - $1',
      [ms],
    );
    await store.admin.query(
      'UPDATE orchestrator.delivery SET next_at = next_at - $1, claimed_until = claimed_until - $1, created_at = created_at - $1, delivered_at = delivered_at - $1',
      [ms],
    );
  },
});

describe('the database', () => {
  it('shows this process no webhook and no delivery without a tenant, and only ids of due deliveries', async () => {
    const [mine, theirs] = [newId('tenant'), newId('tenant')];
    for (const tenant of [mine, theirs]) {
      await webhooks.create(tenant, newWebhook(), 10);
      await deliveries.fanOut(tenant, [newMessage()]);
    }
    for (const table of ['webhook', 'delivery']) {
      expect((await store.pool.query(`SELECT 1 FROM orchestrator.${table}`)).rowCount).toBe(0);
      const { rows } = await inTenant(store.pool, mine, (client) =>
        client.query<{ tenant_id: string }>(`SELECT tenant_id FROM orchestrator.${table}`),
      );
      expect(rows).toEqual([{ tenant_id: mine }]);
    }
    const { fields } = await store.pool.query('SELECT * FROM orchestrator.claim_deliveries(0, 1, 1)');
    expect(fields.map(({ name }) => name)).toEqual(['tenant_id', 'delivery_id', 'claim']);
    // The function's access does not remain after it returns.
    const behind = await inTenant(store.pool, newId('tenant'), async (client) => {
      await client.query('SELECT * FROM orchestrator.claim_deliveries(1000, 8, 60000)');
      return await client.query('SELECT 1 FROM orchestrator.delivery');
    });
    expect(behind.rowCount).toBe(0);
  });

  it.each([
    [
      'a webhook of another tenant',
      `INSERT INTO orchestrator.webhook (webhook_id, tenant_id, name, url, events, secret, created_by) VALUES ('whk_x', 'ten_other', 'x', 'x', '{a}', '', 'me')`,
      /row-level security/,
    ],
    [
      'a webhook without events',
      `INSERT INTO orchestrator.webhook (webhook_id, tenant_id, name, url, events, secret, created_by) VALUES ('whk_x', current_setting('writ.tenant_id'), 'x', 'x', '{}', '', 'me')`,
      /webhook_events_check/,
    ],
    ['another owner for a webhook', `UPDATE orchestrator.webhook SET tenant_id = 'ten_other'`, /permission denied/],
    ['other bytes for a message', `UPDATE orchestrator.delivery SET body = 'x'`, /permission denied/],
    ['the end of a delivery', 'DELETE FROM orchestrator.delivery', /permission denied/],
    ['a look at notices', 'SELECT 1 FROM kernel.notice', /permission denied/],
  ])('refuses this process %s', async (_what, sql, words) => {
    await expect(inTenant(store.pool, newId('tenant'), (client) => client.query(sql))).rejects.toThrow(words);
  });
});
