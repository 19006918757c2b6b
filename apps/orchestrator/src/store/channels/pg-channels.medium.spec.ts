// SPDX-License-Identifier: Apache-2.0
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { channelsContract, newChannel, newHookChannel } from './channels.contract.ts';
import { PgChannelMessages } from './pg-channel-messages.ts';
import { PgChannels } from './pg-channels.ts';

let store: TestStore;
let channels: PgChannels;
let messages: PgChannelMessages;

beforeAll(async () => {
  store = await testStore();
  channels = new PgChannels(store.pool);
  messages = new PgChannelMessages(store.pool);
}, 120_000);
afterAll(async () => {
  await store.drop();
});

channelsContract('Postgres', {
  channels: () => channels,
  messages: () => messages,
  // Time is the database's clock, so stored times are moved into the past.
  advance: async (ms) => {
    await store.admin.query(
      'UPDATE orchestrator.channel_message SET next_at = next_at - $1, claimed_until = claimed_until - $1, created_at = created_at - $1, updated_at = updated_at - $1',
      [ms],
    );
  },
});

describe('the database', () => {
  it('shows this process no channel and no message without a tenant, and only ids of due messages', async () => {
    const [mine, theirs] = [newId('tenant'), newId('tenant')];
    for (const tenant of [mine, theirs]) {
      await channels.create(tenant, newChannel(), 10);
      await messages.note(tenant, [{ approval_id: newId('approval'), asks: true }]);
    }
    for (const table of ['channel', 'channel_message']) {
      expect((await store.pool.query(`SELECT 1 FROM orchestrator.${table}`)).rowCount).toBe(0);
      const { rows } = await inTenant(store.pool, mine, (client) =>
        client.query<{ tenant_id: string }>(`SELECT tenant_id FROM orchestrator.${table}`),
      );
      expect(rows).toEqual([{ tenant_id: mine }]);
    }
    const { fields } = await store.pool.query(`SELECT * FROM orchestrator.claim_messages_of_kinds('{slack}', 0, 1, 1)`);
    expect(fields.map(({ name }) => name)).toEqual(['tenant_id', 'channel_id', 'approval_id', 'claim']);
  });

  it('gives messages in channels of Slack alone to a version that knows no other kind', async () => {
    const tenant = newId('tenant');
    const { channel_id } = await channels.create(tenant, newChannel(), 10);
    await channels.create(tenant, newHookChannel(), 10);
    await messages.note(tenant, [{ approval_id: newId('approval'), asks: true }]);
    const sql = 'SELECT channel_id FROM orchestrator.claim_channel_messages(1000, 8, 1000) WHERE tenant_id = $1';
    expect((await store.pool.query(sql, [tenant])).rows).toEqual([{ channel_id }]);
  });

  it.each([
    [
      'a channel of another tenant',
      `INSERT INTO orchestrator.channel (channel_id, tenant_id, name, kind, destination, api_url, bot_token, created_by) VALUES ('chn_x', 'ten_other', 'x', 'slack', 'C1', 'x', '', 'me')`,
      /row-level security/,
    ],
    [
      'a channel of a kind that is not known',
      `INSERT INTO orchestrator.channel (channel_id, tenant_id, name, kind, destination, api_url, bot_token, created_by) VALUES ('chn_x', current_setting('writ.tenant_id'), 'x', 'fax', 'C1', 'x', '', 'me')`,
      /channel_kind_check/,
    ],
    [
      'a channel of another kind without settings',
      `INSERT INTO orchestrator.channel (channel_id, tenant_id, name, kind, destination, api_url, bot_token, created_by) VALUES ('chn_x', current_setting('writ.tenant_id'), 'x', 'teams', 'teams', '', '', 'me')`,
      /channel_settings/,
    ],
    ['another owner for a channel', `UPDATE orchestrator.channel SET tenant_id = 'ten_other'`, /permission denied/],
    ['the end of a message', 'DELETE FROM orchestrator.channel_message', /permission denied/],
  ])('refuses this process %s', async (_what, sql, words) => {
    await expect(inTenant(store.pool, newId('tenant'), (client) => client.query(sql))).rejects.toThrow(words);
  });
});
