// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { Deliveries, DeliveryClaim, DeliveryEnd, Message } from './deliveries.ts';
import type { NewWebhook, WebhookRow, Webhooks } from './webhooks.ts';

/** The stores under test. */
export interface WebhookStores {
  readonly webhooks: () => Webhooks;
  readonly deliveries: () => Deliveries;
  /** Advances the clock of both stores. */
  readonly advance: (ms: number) => Promise<void>;
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

/** The contract of every implementation of the two ports. */
export function webhooksContract(name: string, { webhooks, deliveries, advance }: WebhookStores): void {
  let tenant: TenantId;
  let webhook: WebhookRow;
  beforeEach(async () => {
    tenant = newId('tenant');
    webhook = await webhooks().create(tenant, newWebhook(), 10);
  });
  /** Claims of this test's tenant; those of other tenants stay claimed. */
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
    it('are read, changed and deleted only by their own tenant, and never return a secret', async () => {
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

    it('are limited in number per tenant, even if many are created at once', async () => {
      const made = await Promise.allSettled(
        Array.from({ length: 4 }, () => webhooks().create(tenant, newWebhook(), 3)),
      );
      expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
      expect(made.find((each) => each.status === 'rejected')?.reason).toMatchObject({ code: 'limit.exceeded' });
    });

    it('have both secrets after a rotation, until the overlap is over', async () => {
      const [first, second] = [randomBytes(60), randomBytes(60)];
      const { webhook_id } = await webhooks().create(tenant, newWebhook({ secret: first }), 10);
      expect((await webhooks().rotate(tenant, webhook_id, second, 1_000))?.old_until).toEqual(expect.any(Number));
      const secrets = async () => {
        const added = await deliveries().add(tenant, webhook_id, newMessage());
        const mine = (await claim()).find(({ delivery_id }) => delivery_id === added?.delivery_id);
        return (await deliveries().open(mine!))?.secrets;
      };
      expect(await secrets()).toEqual([second, first]);
      await advance(1_001);
      expect(await secrets()).toEqual([second]);
      expect((await webhooks().read(tenant, webhook_id))?.old_until).toBeNull();
    });
  });

  describe(`deliveries kept by ${name}`, () => {
    it('are one per subscribed active webhook, however often and by however many replicas a message is stored', async () => {
      const [deaf, off] = [
        await webhooks().create(tenant, newWebhook({ events: ['operation.ambiguous'] }), 10),
        await webhooks().create(tenant, newWebhook(), 10),
      ];
      await webhooks().change(tenant, off.webhook_id, { ...off, state: 'disabled' });
      const messages = [newMessage(), newMessage()];
      await Promise.all([deliveries().fanOut(tenant, messages), deliveries().fanOut(tenant, messages)]);
      await deliveries().fanOut(tenant, messages);
      expect((await rows()).map(({ message_id }) => message_id).toSorted()).toEqual(
        messages.map(({ message_id }) => message_id).toSorted(),
      );
      for (const { webhook_id } of [deaf, off])
        expect((await deliveries().list(tenant, webhook_id, { cursor: null, limit: 5 }, null))?.items).toEqual([]);
    });

    it('are claimed once at a time, with what an attempt needs, and again after a claim has expired', async () => {
      const message = newMessage();
      await deliveries().fanOut(tenant, [message]);
      const first = await only();
      expect(await claim()).toEqual([]);
      expect(await deliveries().open(first)).toMatchObject({
        ...message,
        webhook_id: webhook.webhook_id,
        url: webhook.url,
        attempts: 0,
        secrets: [expect.any(Buffer)],
      });
      await advance(60_001);
      const second = await only();
      // A process that was suspended and resumes is fenced.
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

    it('that did not arrive are retried after the given pause, and fail without one', async () => {
      await deliveries().fanOut(tenant, [newMessage()]);
      await deliveries().settle(await only(), lost(), DAY_MS);
      expect(await rows()).toMatchObject([
        { state: 'pending', attempts: 1, last_status: 500, last_error: 'status: x' },
      ]);
      expect(await claim()).toEqual([]);
      await advance(5_001);
      await deliveries().settle(await only(), lost({ status: null, retryMs: null }), DAY_MS);
      expect(await rows()).toMatchObject([{ state: 'failed', attempts: 2, next_at: null, last_status: null }]);
      await advance(DAY_MS);
      expect(await claim()).toEqual([]);
      expect(
        (await deliveries().list(tenant, webhook.webhook_id, { cursor: null, limit: 5 }, 'delivered'))?.items,
      ).toEqual([]);
    });

    it('are sent again on request, with the same message', async () => {
      const message = newMessage();
      await deliveries().fanOut(tenant, [message]);
      const { delivery_id } = await only().then(async (first) => {
        await deliveries().settle(first, ARRIVED, DAY_MS);
        return first;
      });
      expect(await deliveries().redeliver(newId('tenant'), webhook.webhook_id, delivery_id)).toBeNull();
      expect(await deliveries().redeliver(tenant, webhook.webhook_id, newId('delivery'))).toBeNull();
      expect(await deliveries().redeliver(tenant, webhook.webhook_id, delivery_id)).toMatchObject({
        state: 'pending',
        attempts: 0,
        message_id: message.message_id,
      });
      expect(await deliveries().open(await only())).toMatchObject(message);
    });

    it('of one tenant in progress are limited in number, without delaying other tenants', async () => {
      const other = newId('tenant');
      const theirs = await webhooks().create(other, newWebhook(), 10);
      await deliveries().fanOut(
        tenant,
        Array.from({ length: 6 }, () => newMessage()),
      );
      await deliveries().fanOut(other, [newMessage()]);
      const all = await deliveries().claim({ rows: 1_000, tenantMax: 2, claimMs: 60_000 });
      expect([
        all.filter(({ tenant_id }) => tenant_id === tenant).length,
        all.filter(({ tenant_id }) => tenant_id === other).length,
      ]).toEqual([2, 1]);
      expect(await claim({ tenantMax: 2 })).toEqual([]);
      expect(await claim({ tenantMax: 3 })).toHaveLength(1);
      await webhooks().remove(other, theirs.webhook_id);
    });

    it('disable a webhook that answers 410 or fails for too long, and a success resets the time', async () => {
      await deliveries().fanOut(tenant, [newMessage(), newMessage()]);
      const [one, two] = await claim();
      expect(await deliveries().settle(one!, lost(), 5 * DAY_MS)).toBeNull();
      expect((await webhooks().read(tenant, webhook.webhook_id))?.failing_since).toEqual(expect.any(Number));
      await deliveries().settle(two!, ARRIVED, 5 * DAY_MS);
      expect((await webhooks().read(tenant, webhook.webhook_id))?.failing_since).toBeNull();
      await advance(6 * DAY_MS);
      expect(await deliveries().settle(await only(), lost(), 5 * DAY_MS)).toBeNull();
      await advance(5 * DAY_MS);
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
      await advance(DAY_MS);
      expect(await deliveries().settle(await only(), lost({ status: 410, disable: true }), 5 * DAY_MS)).toEqual({
        webhook_id: webhook.webhook_id,
        disabled_reason: 'gone',
      });
    });

    it('of a disabled webhook wait and none is added; those of a deleted webhook are deleted', async () => {
      await deliveries().fanOut(tenant, [newMessage()]);
      await webhooks().change(tenant, webhook.webhook_id, { ...webhook, state: 'disabled' });
      expect(await webhooks().read(tenant, webhook.webhook_id)).toMatchObject({
        state: 'disabled',
        disabled_reason: 'asked',
      });
      expect(await claim()).toEqual([]);
      const [{ delivery_id } = { delivery_id: '' }] = await rows();
      for (const refused of [
        () => deliveries().add(tenant, webhook.webhook_id, newMessage()),
        () => deliveries().redeliver(tenant, webhook.webhook_id, delivery_id),
      ])
        await expect(refused()).rejects.toMatchObject({ code: 'conflict' });
      await webhooks().change(tenant, webhook.webhook_id, { ...webhook, state: 'active' });
      const claimed = await only();
      await webhooks().remove(tenant, webhook.webhook_id);
      expect(await deliveries().open(claimed)).toBeNull();
      expect(await deliveries().settle(claimed, lost(), DAY_MS)).toBeNull();
      expect(await deliveries().list(tenant, webhook.webhook_id, { cursor: null, limit: 5 }, null)).toBeNull();
    });

    it('that ended long ago are deleted, and pending ones are not', async () => {
      await deliveries().fanOut(tenant, [newMessage()]);
      await deliveries().settle(await only(), ARRIVED, DAY_MS);
      await deliveries().fanOut(tenant, [newMessage()]);
      await deliveries().prune(2 * DAY_MS);
      expect(await rows()).toHaveLength(2);
      await advance(2 * DAY_MS + 1);
      await deliveries().prune(2 * DAY_MS);
      expect(await rows()).toMatchObject([{ state: 'pending' }]);
    });
  });
}
