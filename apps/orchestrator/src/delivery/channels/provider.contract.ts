// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { EgressGate } from '../../edge/outbound/egress-gate.ts';
import type { ChannelKind } from '../../store/channels/channels.ts';
import type { ChannelPost, ChannelProvider, PostEnd } from './provider.ts';
import { utcOf, type ShownApproval } from './shown-approval.ts';

/** What the stand-in does instead of accepting the next message. */
export type Misbehaviour = 'refuse' | 'pause' | 'silent' | 'malformed' | 'long' | 'redirect';

/** A provider, and a local stand-in that speaks the provider's wire format. */
export interface ProviderStand<K extends ChannelKind> {
  readonly provider: (gate: EgressGate) => ChannelProvider<K>;
  readonly settings: ChannelPost<K>['settings'];
  readonly secret: string;
  /** `host:port` of the stand-in */
  readonly place: string;
  /** the messages that it accepted, each as the texts and the links that a person sees, decoded */
  readonly received: () => readonly { readonly text: string; readonly links: readonly string[] }[];
  readonly misbehave: (how: Misbehaviour) => void;
  /** how many attempts reached it, other ones than of accepted messages included */
  readonly attempts: () => number;
  readonly close: () => Promise<void>;
}

/** How the kinds differ. */
export interface ProviderTraits {
  /** the pause that is returned where the stand-in asks for half a minute; null: its protocol has none */
  readonly pauseMs: number | null;
  /** whether a message counts as sent whose acceptance is followed by too long a text */
  readonly longIsSent: boolean;
  /** whether the protocol has redirects */
  readonly redirects: boolean;
}

export const PAGE = 'https://writ.example.org/console/approvals/apr_x';
const SECRETS_OF_THE_CALL = { args: { secret: 's3cret' }, comment: 'not on a Friday', reason: 'because' };
export const newApproval = (over: Partial<ShownApproval> = {}): ShownApproval => ({
  ...{ approval_id: newId('approval'), operation_id: newId('operation'), agent_id: newId('agent') },
  ...{ tool_id: 'shell.run', of: 'effect', state: 'pending', expires_at: 1_767_312_000_000 },
  ...{ decided_at: null, decided_by: null, votes: { given: 0, needed: 2, role: 'operator' } },
  binding: { action_digest: 'a'.repeat(64), effect_digest: 'e'.repeat(64), policy_hash: 'p', expires_at: 1 },
  ...over,
  ...SECRETS_OF_THE_CALL,
});

/** Texts that a client of some provider would take for markup, a mention, a link, or another line. */
const HOSTILE = [
  '<!channel> <https://evil.test|ok> <@U123>',
  '[click](https://evil.test) **bold** <at>all</at>',
  '<b onclick="x">&amp;</b><script>alert(1)</script>',
  'a\u202Eb\u2066c\u200Bd\u0000e',
  'x\r\nBcc: evil@evil.test\r\n\r\nhello\r\n.\r\nMAIL FROM:<e@evil.test>',
  '{{DATE(2026-01-01)}} ${secret} @{body}',
];

/** The contract of every provider. */
export function providerContract<K extends ChannelKind>(
  name: string,
  open: () => Promise<ProviderStand<K>>,
  { pauseMs, longIsSent, redirects }: ProviderTraits,
): void {
  let stand: ProviderStand<K>;
  beforeEach(async () => {
    stand = await open();
  });
  afterEach(() => stand.close());

  const send = async (over: Partial<ChannelPost<K>> = {}, allowed = [stand.place]): Promise<PostEnd> => {
    const { provider, settings, secret } = stand;
    const end = await provider(new EgressGate(new Set(allowed))).send({
      ...{ channel_id: newId('channel'), settings, secret, reference: null, change: 1 },
      ...{ approval: newApproval(), link: PAGE },
      ...over,
    });
    if (!end.sent) expect(end.error).not.toContain(secret);
    return end;
  };

  describe(`messages sent by ${name}`, () => {
    it('show ids, the tool, the digest and the times, lead to the console, and have nothing of the call', async () => {
      const approval = newApproval({ of: 'value' });
      expect(await send({ approval })).toMatchObject({ sent: true, reference: expect.any(String) as string });
      const [message, ...more] = stand.received();
      expect(more).toEqual([]);
      const { approval_id, operation_id, tool_id, agent_id } = approval;
      for (const text of [approval_id, operation_id, tool_id, agent_id, 'e'.repeat(64), utcOf(approval.expires_at)])
        expect(message?.text).toContain(text);
      expect(message?.links).toEqual([PAGE]);
      expect(JSON.stringify(message)).not.toMatch(/s3cret|Friday|because/);
    });

    it('show the decision, and who made it when', async () => {
      const first = await send();
      const reference = first.sent ? first.reference : null;
      const decided = { state: 'denied', decided_by: 'mem_x', decided_at: 1_767_225_600_000 } as const;
      expect(await send({ approval: newApproval(decided), reference, change: 2 })).toMatchObject({ sent: true });
      const shown = stand.received().at(-1);
      expect(shown?.text).toMatch(/denied/i);
      expect(shown?.text).toContain('mem_x');
      expect(shown?.text).toContain(utcOf(decided.decided_at));
      expect(shown?.links).toEqual([PAGE]);
    });

    it.each(HOSTILE)('show %j as plain text', async (hostile) => {
      const names = { tool_id: hostile, agent_id: hostile, escalated_to: [hostile] };
      expect(await send({ approval: newApproval(names as Partial<ShownApproval>) })).toMatchObject({ sent: true });
      const [message] = stand.received();
      expect(message?.links).toEqual([PAGE]);
      expect(message?.text.replaceAll(/[\n\r\t]/g, '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      // Spaces may differ: some formats need one to keep a text plain, or break lines.
      const squeezed = (text = ''): string => text.replaceAll(/\s/g, '');
      const neutral = hostile.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}');
      expect(squeezed(message?.text)).toContain(squeezed(neutral));
    });

    it('fail for good where the provider refuses them', async () => {
      stand.misbehave('refuse');
      expect(await send()).toMatchObject({ sent: false, isPassing: false });
      expect(stand.received()).toEqual([]);
    });

    it('fail for a while where the provider asks for a pause', async () => {
      stand.misbehave('pause');
      expect(await send()).toMatchObject({ sent: false, isPassing: true, retryMs: pauseMs });
      expect(await send()).toMatchObject({ sent: true });
    });

    it('fail for a while where there is no answer in time', async () => {
      stand.misbehave('silent');
      expect(await send()).toMatchObject({ sent: false, isPassing: true, error: expect.stringMatching(/^timeout/) });
    });

    it('fail for a while where the answer is none of the protocol', async () => {
      stand.misbehave('malformed');
      expect(await send()).toMatchObject({ sent: false, isPassing: true });
    });

    it('end although the answer never does', async () => {
      stand.misbehave('long');
      const failed = { sent: false, isPassing: true, error: expect.not.stringMatching(/^timeout/) as string };
      expect(await send()).toMatchObject(longIsSent ? { sent: true } : failed);
    });

    it('go to no private address that the operator has not allowed', async () => {
      const end = await send({}, []);
      expect(end).toMatchObject({ sent: false, error: expect.stringMatching(/^(url|address)\.refused/) as string });
      expect(stand.attempts()).toBe(0);
    });

    it.runIf(redirects)('follow no redirect', async () => {
      stand.misbehave('redirect');
      expect(await send()).toMatchObject({ sent: false, isPassing: false });
      expect(stand.attempts()).toBe(1);
    });
  });
}
