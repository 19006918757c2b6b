// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { ChannelClaim, ChannelMessages } from './channel-messages.ts';
import {
  CHANNEL_KINDS,
  type ChannelChange,
  type ChannelKind,
  type ChannelRow,
  type Channels,
  type NewChannel,
} from './channels.ts';

/** The stores under test. */
export interface ChannelStores {
  readonly channels: () => Channels;
  readonly messages: () => ChannelMessages;
  /** Advances the clock of both stores. */
  readonly advance: (ms: number) => Promise<void>;
}

export const newChannel = (over: Partial<NewChannel> = {}): NewChannel => ({
  channel_id: newId('channel'),
  name: 'c',
  kind: 'slack',
  destination: 'C0123456789',
  api_url: 'https://slack.test/api',
  settings: null,
  bot_token: randomBytes(60),
  created_by: newId('apiKey'),
  ...over,
});
const UNCHANGED: ChannelChange = {
  ...{ name: null, state: null, destination: null, api_url: null, settings: null, bot_token: null },
};
export const newHookChannel = (over: Partial<NewChannel> = {}): NewChannel =>
  newChannel({ kind: 'webhook', destination: 'webhook', api_url: '', settings: { url: 'https://a.test/' }, ...over });
const allow = async (): Promise<void> => undefined;
const DAY_MS = 24 * 3_600_000;

/** The contract of every implementation of the two ports. */
export function channelsContract(name: string, { channels, messages, advance }: ChannelStores): void {
  let tenant: TenantId;
  let channel: ChannelRow;
  let approval_id: string;
  beforeEach(async () => {
    tenant = newId('tenant');
    approval_id = newId('approval');
    channel = await channels().create(tenant, newChannel(), 10);
  });
  /** Claims of this test's tenant; those of other tenants stay claimed. */
  const claim = async (tenantMax = 8, kinds: readonly ChannelKind[] = CHANNEL_KINDS): Promise<ChannelClaim[]> =>
    (await messages().claim({ kinds, rows: 1_000, tenantMax, claimMs: 60_000 })).filter(
      ({ tenant_id }) => tenant_id === tenant,
    );
  const only = async (): Promise<ChannelClaim> => {
    const [one, ...more] = await claim();
    expect(more).toEqual([]);
    return one!;
  };
  const asked = (asks = true) => messages().note(tenant, [{ approval_id, asks }]);
  const rows = () => messages().of(tenant, approval_id);
  const SENT = { sent: true, reference: 'ref' } as const;

  describe(`channels kept by ${name}`, () => {
    it('are read, changed and deleted only by their own tenant, and never return a token', async () => {
      const [other, { channel_id }] = [newId('tenant'), channel];
      expect(await channels().read(tenant, channel_id)).toEqual(channel);
      expect(JSON.stringify(channel)).not.toContain('token');
      for (const answer of [
        channels().read(other, channel_id),
        channels().change(other, channel_id, { ...UNCHANGED, name: 'x' }, allow),
        channels().remove(other, channel_id, allow),
      ])
        expect(await answer).toBeNull();
      const change = { ...UNCHANGED, name: 'x', state: 'disabled' } as const;
      expect(await channels().change(tenant, channel_id, change, allow)).toMatchObject({
        name: 'x',
        state: 'disabled',
        destination: channel.destination,
      });
      expect(await channels().remove(tenant, channel_id, allow)).toMatchObject({ name: 'x' });
      expect(await channels().read(tenant, channel_id)).toBeNull();
    });

    it('are unchanged where the condition of a change refuses it', async () => {
      const refuse = () => Promise.reject(new Error('no'));
      const { channel_id } = channel;
      await expect(channels().change(tenant, channel_id, { ...UNCHANGED, name: 'x' }, refuse)).rejects.toThrow('no');
      await expect(channels().remove(tenant, channel_id, refuse)).rejects.toThrow('no');
      expect(await channels().read(tenant, channel_id)).toEqual(channel);
    });

    it('have settings of their kind, of which a change keeps what it does not give', async () => {
      const made = await channels().create(tenant, newHookChannel(), 10);
      expect(made).toMatchObject({ kind: 'webhook', settings: { url: 'https://a.test/' } });
      const change = (over: Partial<ChannelChange>) =>
        channels().change(tenant, made.channel_id, { ...UNCHANGED, ...over }, allow);
      expect(await change({ name: 'x' })).toMatchObject({ name: 'x', settings: made.settings });
      expect(await change({ settings: {} })).toMatchObject({ settings: made.settings });
      const url = 'https://b.test/';
      expect(await change({ settings: { url } })).toMatchObject({ settings: { url } });
      expect(await channels().read(tenant, made.channel_id)).toMatchObject({ settings: { url } });
    });

    it('are listed page by page, each once, and limited in number', async () => {
      const made = [channel.channel_id];
      for (let n = 0; n < 4; n++) made.push((await channels().create(tenant, newChannel(), 5)).channel_id);
      await expect(channels().create(tenant, newChannel(), 5)).rejects.toMatchObject({ code: 'limit.exceeded' });
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<Channels['list']>> = await channels().list(tenant, { cursor, limit: 2 });
        seen.push(...page.items.map(({ channel_id }) => channel_id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen.toSorted()).toEqual(made.toSorted());
    });
  });

  describe(`messages in channels kept by ${name}`, () => {
    it('are one per active channel and approval, however often and by however many replicas it is noted', async () => {
      const off = await channels().create(tenant, newChannel(), 10);
      await channels().change(tenant, off.channel_id, { ...UNCHANGED, state: 'disabled' }, allow);
      await Promise.all([asked(), asked(), asked(false)]);
      expect(await rows()).toMatchObject([{ channel_id: channel.channel_id, state: 'pending', sent: 0 }]);
    });

    it('are claimed by those alone who can send to channels of their kind', async () => {
      const hook = await channels().create(tenant, newHookChannel(), 10);
      await asked();
      expect(await claim(8, ['slack'])).toMatchObject([{ channel_id: channel.channel_id }]);
      expect(await claim(8, ['slack'])).toEqual([]);
      const [claimed, ...more] = await claim(8, ['webhook']);
      expect([claimed?.channel_id, more]).toEqual([hook.channel_id, []]);
      expect(await messages().open(claimed!)).toMatchObject({ kind: 'webhook', settings: { url: 'https://a.test/' } });
    });

    it('are not made by a change that asks nobody', async () => {
      await asked(false);
      expect(await rows()).toEqual([]);
    });

    it('are claimed once at a time, and a claim that has expired records nothing', async () => {
      await asked();
      const first = await only();
      expect(await claim()).toEqual([]);
      expect(await messages().open(first)).toMatchObject({
        ...{ channel_id: channel.channel_id, approval_id, kind: 'slack', reference: null, wanted: 1, attempts: 0 },
        ...{ bot_token: expect.any(Buffer), destination: channel.destination, created_by: channel.created_by },
      });
      await advance(60_001);
      const second = await only();
      expect(await messages().open(first)).toBeNull();
      await messages().settle(first, 1, SENT);
      expect(await rows()).toMatchObject([{ state: 'pending', sent: 0, reference: null }]);
      await messages().settle(second, 1, SENT);
      expect(await rows()).toMatchObject([{ state: 'sent', wanted: 1, sent: 1, reference: 'ref' }]);
      expect(await claim()).toEqual([]);
    });

    it('are due again after each further change, also one that is noted while an attempt is made', async () => {
      await asked();
      const first = await only();
      await asked(false);
      expect(await claim()).toEqual([]);
      await messages().settle(first, 1, SENT);
      const second = await only();
      expect(await messages().open(second)).toMatchObject({ wanted: 2, reference: 'ref' });
      await messages().settle(second, 2, SENT);
      await asked(false);
      expect(await messages().open(await only())).toMatchObject({ wanted: 3, reference: 'ref' });
    });

    it('that fail are tried again after their pause, keep their reference, and are given up without a pause', async () => {
      await asked();
      await messages().settle(await only(), 1, SENT);
      await asked(false);
      await messages().settle(await only(), 2, { sent: false, error: 'x', retryMs: 5_000 });
      expect(await rows()).toMatchObject([{ state: 'pending', attempts: 1, last_error: 'x', reference: 'ref' }]);
      expect(await channels().read(tenant, channel.channel_id)).toMatchObject({ last_error: 'x' });
      // A change does not shorten the pause.
      await asked(false);
      expect(await claim()).toEqual([]);
      await advance(5_001);
      await messages().settle(await only(), 3, { sent: false, error: 'y', retryMs: null });
      expect(await rows()).toMatchObject([{ state: 'failed', attempts: 2, last_error: 'y' }]);
      await advance(DAY_MS);
      expect(await claim()).toEqual([]);
      await asked(false);
      await messages().settle(await only(), 4, SENT);
      expect(await rows()).toMatchObject([{ state: 'sent', attempts: 0, last_error: null }]);
      expect(await channels().read(tenant, channel.channel_id)).toMatchObject({ last_error: null });
    });

    it('of one tenant in progress are limited in number', async () => {
      const changes = Array.from({ length: 5 }, () => ({ approval_id: newId('approval'), asks: true }));
      await messages().note(tenant, changes);
      expect(await claim(2)).toHaveLength(2);
      expect(await claim(2)).toEqual([]);
      expect(await claim(3)).toHaveLength(1);
    });

    it('of a disabled channel wait, and those of a deleted one are deleted', async () => {
      await asked();
      const { channel_id } = channel;
      await channels().change(tenant, channel_id, { ...UNCHANGED, state: 'disabled' }, allow);
      expect(await claim()).toEqual([]);
      await channels().change(tenant, channel_id, { ...UNCHANGED, state: 'active' }, allow);
      const claimed = await only();
      await channels().remove(tenant, channel_id, allow);
      expect(await messages().open(claimed)).toBeNull();
      await messages().settle(claimed, 1, SENT);
      expect(await rows()).toEqual([]);
    });

    it('that nothing has changed for long are forgotten, and pending ones are not', async () => {
      await asked();
      await messages().settle(await only(), 1, SENT);
      const waiting = newId('approval');
      await messages().note(tenant, [{ approval_id: waiting, asks: true }]);
      await advance(DAY_MS + 1);
      await messages().prune(DAY_MS);
      expect(await rows()).toEqual([]);
      expect(await messages().of(tenant, waiting)).toHaveLength(1);
    });
  });
}
