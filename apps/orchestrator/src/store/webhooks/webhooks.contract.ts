// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { Deliveries, DeliveryClaim, DeliveryEnd, Message } from './deliveries.ts';
import type { NewWebhook, WebhookRow, Webhooks } from './webhooks.ts';

/** What a suite runs on. */
export interface HookStores {
  readonly webhooks: () => Webhooks;
  readonly deliveries: () => Deliveries;
  /** Lets so much time go by, for these two. */
  readonly pass: (ms: number) => Promise<void>;
}

export const newWebhook = (over: Partial<NewWebhook> = {}): NewWebhook => ({
  webhook_id: newId('webhook'),
  name: 'w',
  url: 'https://hooks.test/',
  events: ['approval.pending'],
  secret: randomBytes(60),
  created_by: newId('apiKey'),
  ...over,
});
export const newMessage = (kind = 'approval.pending'): Message => ({
  message_id: newId('notice'),
  kind,
  body: `{"type":"${kind}"}`,
});
const ARRIVED: DeliveryEnd = { arrived: true, status: 204 };
const lost = (over: Partial<Extract<DeliveryEnd, { arrived: false }>> = {}): DeliveryEnd => ({
  arrived: false,
  status: 500,
  error: 'status: x',
  retryMs: 5_000,
  disable: false,
  ...over,
});
const DAY_MS = 24 * 3_600_000;

/** What every implementation of the two ports keeps. */
export function webhooksContract(name: string, { webhooks, deliveries, pass }: HookStores): void {
  let tenant: TenantId;
  let webhook: WebhookRow;
  beforeEach(async () => {
    tenant = newId('tenant');
    webhook = await webhooks().create(tenant, newWebhook(), 10);
  });
  /** Claims of this test's tenant; others' stay claimed. */
  const claim = async (limits: Partial<Parameters<Deliveries['claim']>[0]> = {}): Promise<DeliveryClaim[]> =>
    (await deliveries().claim({ rows: 1_000, tenantMax: 8, claimMs: 60_000, ...limits })).filter(
      ({ tenant_id }) => tenant_id === tenant,
    );
  const rows = async () =>
    (await deliveries().list(tenant, webhook.webhook_id, { cursor: null, limit: 50 }, null))?.items ?? [];
  const only = async (): Promise<DeliveryClaim> => {
    const [one, ...more] = await claim();
    expect(more).toEqual([]);
    return one!;
  };

  describe(`webhooks kept by ${name}`, () => {
    it('are read, changed and taken away by their own tenant alone, and tell no secret', async () => {
      const other = newId('tenant');
      const change = { name: 'x', url: 'https://x.test/', events: ['operation.ambiguous'], state: 'active' } as const;
      expect(await webhooks().read(tenant, webhook.webhook_id)).toEqual(webhook);
      expect(JSON.stringify(webhook)).not.toContain('secret');
      for (const answer of [
        webhooks().read(other, webhook.webhook_id),
        webhooks().change(other, webhook.webhook_id, change),
        webhooks().rotate(other, webhook.webhook_id, randomBytes(60), 1),
        webhooks().remove(other, webhook.webhook_id),
      ]) {
        expect(await answer).toBeNull();
      }
      expect(await webhooks().change(tenant, webhook.webhook_id, change)).toMatchObject({
        ...change,
        webhook_id: webhook.webhook_id,
        disabled_reason: null,
      });
      expect(await webhooks().remove(tenant, webhook.webhook_id)).toMatchObject({ name: 'x' });
      expect(await webhooks().read(tenant, webhook.webhook_id)).toBeNull();
    });

    it('are listed newest first, page by page, each once', async () => {
      const made = [webhook.webhook_id];
      for (let n = 0; n < 4; n++) made.unshift((await webhooks().create(tenant, newWebhook(), 10)).webhook_id);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<Webhooks['list']>> = await webhooks().list(tenant, { cursor, limit: 2 });
        seen.push(...page.items.map(({ webhook_id }) => webhook_id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen.toSorted()).toEqual(made.toSorted());
      await expect(webhooks().list(tenant, { cursor: 'made up', limit: 2 })).rejects.toMatchObject({
        code: 'request.malformed',
      });
    });

    it('are as many as a tenant may have, however many are made at once', async () => {
      const made = await Promise.allSettled(
        Array.from({ length: 4 }, () => webhooks().create(tenant, newWebhook(), 3)),
      );
      expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
      expect(made.find((each) => each.status === 'rejected')?.reason).toMatchObject({ code: 'limit.exceeded' });
    });

    it('that got a new secret are signed for with the old one as well, for as long as was said', async () => {
      const [first, second] = [randomBytes(60), randomBytes(60)];
      const { webhook_id } = await webhooks().create(tenant, newWebhook({ secret: first }), 10);
      expect((await webhooks().rotate(tenant, webhook_id, second, 1_000))?.old_until).toEqual(expect.any(Number));
      const secrets = async () => {
        const added = await deliveries().add(tenant, webhook_id, newMessage());
        const mine = (await claim()).find(({ delivery_id }) => delivery_id === added?.delivery_id);
        return (await deliveries().open(mine!))?.secrets;
      };
      expect(await secrets()).toEqual([second, first]);
      await pass(1_001);
      expect(await secrets()).toEqual([second]);
      expect((await webhooks().read(tenant, webhook_id))?.old_until).toBeNull();
    });
  });

  describe(`deliveries kept by ${name}`, () => {
    it('are one for each active webhook that listens, however often and by however many they are spread', async () => {
      const [deaf, off] = [
        await webhooks().create(tenant, newWebhook({ events: ['operation.ambiguous'] }), 10),
        await webhooks().create(tenant, newWebhook(), 10),
      ];
      await webhooks().change(tenant, off.webhook_id, { ...off, state: 'disabled' });
      const messages = [newMessage(), newMessage()];
      await Promise.all([deliveries().spread(tenant, messages), deliveries().spread(tenant, messages)]);
      await deliveries().spread(tenant, messages);
      expect((await rows()).map(({ message_id }) => message_id).toSorted()).toEqual(
        messages.map(({ message_id }) => message_id).toSorted(),
      );
      for (const { webhook_id } of [deaf, off])
        expect((await deliveries().list(tenant, webhook_id, { cursor: null, limit: 5 }, null))?.items).toEqual([]);
    });

    it('are claimed once at a time, with what a try needs, and again when a claim has run out', async () => {
      const message = newMessage();
      await deliveries().spread(tenant, [message]);
      const first = await only();
      expect(await claim()).toEqual([]);
      expect(await deliveries().open(first)).toMatchObject({
        ...message,
        webhook_id: webhook.webhook_id,
        url: webhook.url,
        attempts: 0,
        secrets: [expect.any(Buffer)],
      });
      await pass(60_001);
      const second = await only();
      // A process that froze and thaws is fenced.
      expect(await deliveries().open(first)).toBeNull();
      await deliveries().settle(first, ARRIVED, DAY_MS);
      expect(await rows()).toMatchObject([{ state: 'pending', attempts: 0 }]);
      await deliveries().settle(second, ARRIVED, DAY_MS);
      expect(await rows()).toMatchObject([
        {
          state: 'delivered',
          attempts: 1,
          next_at: null,
          last_status: 204,
          last_error: null,
          delivered_at: expect.any(Number),
        },
      ]);
      expect(await claim()).toEqual([]);
    });

    it('that did not arrive are tried again after the pause that was said, and failed when there is none', async () => {
      await deliveries().spread(tenant, [newMessage()]);
      await deliveries().settle(await only(), lost(), DAY_MS);
      expect(await rows()).toMatchObject([
        { state: 'pending', attempts: 1, last_status: 500, last_error: 'status: x' },
      ]);
      expect(await claim()).toEqual([]);
      await pass(5_001);
      await deliveries().settle(await only(), lost({ status: null, retryMs: null }), DAY_MS);
      expect(await rows()).toMatchObject([{ state: 'failed', attempts: 2, next_at: null, last_status: null }]);
      await pass(DAY_MS);
      expect(await claim()).toEqual([]);
      expect(
        (await deliveries().list(tenant, webhook.webhook_id, { cursor: null, limit: 5 }, 'delivered'))?.items,
      ).toEqual([]);
    });

    it('are sent once more on request, with the message that they had', async () => {
      const message = newMessage();
      await deliveries().spread(tenant, [message]);
      const { delivery_id } = await only().then(async (first) => {
        await deliveries().settle(first, ARRIVED, DAY_MS);
        return first;
      });
      expect(await deliveries().again(newId('tenant'), webhook.webhook_id, delivery_id)).toBeNull();
      expect(await deliveries().again(tenant, webhook.webhook_id, newId('delivery'))).toBeNull();
      expect(await deliveries().again(tenant, webhook.webhook_id, delivery_id)).toMatchObject({
        state: 'pending',
        attempts: 0,
        message_id: message.message_id,
      });
      expect(await deliveries().open(await only())).toMatchObject(message);
    });

    it("of one tenant are under way at once only so many, the others' beside them", async () => {
      const other = newId('tenant');
      const theirs = await webhooks().create(other, newWebhook(), 10);
      await deliveries().spread(
        tenant,
        Array.from({ length: 6 }, () => newMessage()),
      );
      await deliveries().spread(other, [newMessage()]);
      const all = await deliveries().claim({ rows: 1_000, tenantMax: 2, claimMs: 60_000 });
      expect([
        all.filter(({ tenant_id }) => tenant_id === tenant).length,
        all.filter(({ tenant_id }) => tenant_id === other).length,
      ]).toEqual([2, 1]);
      expect(await claim({ tenantMax: 2 })).toEqual([]);
      expect(await claim({ tenantMax: 3 })).toHaveLength(1);
      await webhooks().remove(other, theirs.webhook_id);
    });

    it('disable a webhook that says it is gone, or that nothing reached for too long, and one that arrives begins the count anew', async () => {
      await deliveries().spread(tenant, [newMessage(), newMessage()]);
      const [one, two] = await claim();
      expect(await deliveries().settle(one!, lost(), 5 * DAY_MS)).toBeNull();
      expect((await webhooks().read(tenant, webhook.webhook_id))?.failing_since).toEqual(expect.any(Number));
      await deliveries().settle(two!, ARRIVED, 5 * DAY_MS);
      expect((await webhooks().read(tenant, webhook.webhook_id))?.failing_since).toBeNull();
      await pass(6 * DAY_MS);
      expect(await deliveries().settle(await only(), lost(), 5 * DAY_MS)).toBeNull();
      await pass(5 * DAY_MS);
      expect(await deliveries().settle(await only(), lost(), 5 * DAY_MS)).toEqual({
        webhook_id: webhook.webhook_id,
        disabled_reason: 'failing',
      });
      expect(await webhooks().read(tenant, webhook.webhook_id)).toMatchObject({
        state: 'disabled',
        disabled_reason: 'failing',
      });

      await webhooks().change(tenant, webhook.webhook_id, { ...webhook, state: 'active' });
      expect(await webhooks().read(tenant, webhook.webhook_id)).toMatchObject({
        state: 'active',
        disabled_reason: null,
        failing_since: null,
      });
      await pass(DAY_MS);
      expect(await deliveries().settle(await only(), lost({ status: 410, disable: true }), 5 * DAY_MS)).toEqual({
        webhook_id: webhook.webhook_id,
        disabled_reason: 'gone',
      });
    });

    it('of a disabled webhook wait, and nothing is added to it; of one that was taken away nothing is left', async () => {
      await deliveries().spread(tenant, [newMessage()]);
      await webhooks().change(tenant, webhook.webhook_id, { ...webhook, state: 'disabled' });
      expect(await webhooks().read(tenant, webhook.webhook_id)).toMatchObject({
        state: 'disabled',
        disabled_reason: 'asked',
      });
      expect(await claim()).toEqual([]);
      const [{ delivery_id } = { delivery_id: '' }] = await rows();
      for (const refused of [
        () => deliveries().add(tenant, webhook.webhook_id, newMessage()),
        () => deliveries().again(tenant, webhook.webhook_id, delivery_id),
      ])
        await expect(refused()).rejects.toMatchObject({ code: 'conflict' });
      await webhooks().change(tenant, webhook.webhook_id, { ...webhook, state: 'active' });
      const claimed = await only();
      await webhooks().remove(tenant, webhook.webhook_id);
      expect(await deliveries().open(claimed)).toBeNull();
      expect(await deliveries().settle(claimed, lost(), DAY_MS)).toBeNull();
      expect(await deliveries().list(tenant, webhook.webhook_id, { cursor: null, limit: 5 }, null)).toBeNull();
    });

    it('that ended long ago are forgotten, and none that waits is', async () => {
      await deliveries().spread(tenant, [newMessage()]);
      await deliveries().settle(await only(), ARRIVED, DAY_MS);
      await deliveries().spread(tenant, [newMessage()]);
      await deliveries().prune(2 * DAY_MS);
      expect(await rows()).toHaveLength(2);
      await pass(2 * DAY_MS + 1);
      await deliveries().prune(2 * DAY_MS);
      expect(await rows()).toMatchObject([{ state: 'pending' }]);
    });
  });
}
