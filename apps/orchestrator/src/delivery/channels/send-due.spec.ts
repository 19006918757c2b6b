// SPDX-License-Identifier: Apache-2.0
import { Fault, type ApprovalView, type Caller } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { EgressGate } from '../../edge/outbound/egress-gate.ts';
import { FakeChannels } from '../../specs/fake-channels.ts';
import { openFakeSlack, type FakeSlack } from '../../specs/fake-slack.ts';
import { newChannel } from '../../store/channels/channels.contract.ts';
import { ChannelSecrets } from './channel-secrets.ts';
import { SendDue, type SendDueParts } from './send-due.ts';
import { providersBy } from './providers.ts';

let slack: FakeSlack;
beforeEach(async () => {
  slack = await openFakeSlack();
});
afterEach(() => slack.close());

const URL_OF_WRIT = 'https://writ.example.org';

/** A pending approval, one channel at the fake Slack, and what sends. */
async function open(over: { readonly allowed?: readonly string[]; readonly token?: string } = {}) {
  const [fake, secrets] = [new FakeChannels(), new ChannelSecrets(Buffer.alloc(32, 7))];
  const [tenant, channel_id, approval_id] = [newId('tenant'), newId('channel'), newId('approval')];
  const bot_token = secrets.seal({ tenant_id: tenant, channel_id }, over.token ?? slack.token);
  const { api_url, conversation: destination } = slack;
  const channel = newChannel({ channel_id, api_url, destination, bot_token });
  await fake.channels.create(tenant, channel, 10);
  const approval = {
    ...{ approval_id, operation_id: newId('operation'), tool_id: 'shell.run', agent_id: newId('agent') },
    ...{ of: 'action', state: 'pending', votes: { given: 0, needed: 2, role: 'operator' }, args: { secret: 's3cret' } },
    ...{ expires_at: 1_767_312_000_000, decided_at: null, decided_by: null, comment: 'not on a Friday' },
    binding: { action_digest: 'a'.repeat(64), effect_digest: null, policy_hash: 'p', expires_at: 1_767_312_000_000 },
  } as unknown as ApprovalView;
  const asked: Caller[] = [];
  const state = { approval, fault: null as Fault | null };
  const kernel = {
    ask: async (_verb: string, caller: Caller) => {
      asked.push(caller);
      if (state.fault !== null) throw state.fault;
      return state.approval;
    },
  } as unknown as SendDueParts['kernel'];
  const reported: unknown[] = [];
  const gate = new EgressGate(new Set(over.allowed ?? [slack.place]));
  const send = new SendDue({
    ...{ kernel, messages: fake.messages, secrets, url: URL_OF_WRIT },
    providers: providersBy({ gate, now: () => fake.now }),
    ...{ chance: () => 0, report: (error: unknown) => void reported.push(error) },
  });
  const note = (asks = true) => fake.messages.note(tenant, [{ approval_id, asks }]);
  const run = async (): Promise<void> => {
    await send.run();
    await send.idle();
    expect(reported).toEqual([]);
  };
  const row = async () => (await fake.messages.of(tenant, approval_id))[0];
  return { fake, tenant, channel, approval_id, state, asked, send, note, run, row };
}

it('a held call is posted once, read as an auditor, with ids and a link and nothing that the call contains', async () => {
  const { note, run, row, asked, tenant, channel, approval_id, state } = await open();
  await note();
  await run();
  await run();
  expect(slack.calls).toEqual(['chat.postMessage']);
  expect(asked).toEqual([{ tenant_id: tenant, api_key_id: channel.created_by, role: 'auditor', agent_id: null }]);
  const shown = JSON.stringify(slack.posts);
  for (const text of [approval_id, state.approval.operation_id, 'shell.run', 'a'.repeat(64), '0 of 2'])
    expect(shown).toContain(text);
  expect(shown).toContain(`"url":"${URL_OF_WRIT}/console/approvals/${approval_id}"`);
  expect(shown).not.toMatch(/s3cret|Friday/);
  expect(await row()).toMatchObject({ state: 'sent', sent: 1, wanted: 1, last_error: null });
});

it('the same message is changed by a vote, and by the decision', async () => {
  const { note, run, state } = await open();
  await note();
  await run();
  state.approval = { ...state.approval, votes: { ...state.approval.votes, given: 1 } };
  await note(false);
  await run();
  expect(JSON.stringify(slack.posts)).toContain('1 of 2');
  state.approval = { ...state.approval, state: 'denied', decided_by: 'key_x', decided_at: 1_767_225_600_000 };
  await note(false);
  await run();
  expect(slack.calls).toEqual(['chat.postMessage', 'chat.update', 'chat.update']);
  expect(slack.posts).toMatchObject([{ changes: 2, text: expect.stringMatching(/^Denied: /) as string }]);
});

it('a call that was decided before it was posted is not posted', async () => {
  const { note, run, row, state } = await open();
  state.approval = { ...state.approval, state: 'approved' };
  await note();
  await run();
  expect(slack.calls).toEqual([]);
  expect(await row()).toMatchObject({ state: 'sent', reference: null });
});

it.each([
  ['is overloaded', { status: 503 }, 'slack: status 503', 5_000],
  ['asks for a pause', { status: 429, retryAfter: '30' }, 'slack: ratelimited', 30_000],
  ['answers no JSON', { status: 200, body: '<html>' }, 'slack: no answer of Slack', 5_000],
])('a message is sent again after a pause where Slack %s', async (_what, failure, error, pauseMs) => {
  const { fake, note, run, row } = await open();
  slack.failures.push(failure);
  await note();
  await run();
  expect(await row()).toMatchObject({ state: 'pending', attempts: 1, last_error: error });
  fake.now += pauseMs - 1;
  await run();
  expect(slack.posts).toHaveLength(0);
  fake.now += 1;
  await run();
  expect(slack.posts).toHaveLength(1);
  expect(await row()).toMatchObject({ state: 'sent', attempts: 0, last_error: null });
});

it('a message that never arrives is given up after ten attempts', async () => {
  const { fake, note, run, row } = await open();
  slack.failures.push(...Array.from({ length: 20 }, () => ({ status: 500 })));
  await note();
  for (let day = 0; day < 20; day++) {
    await run();
    fake.now += 2 * 24 * 3_600_000;
  }
  expect(await row()).toMatchObject({ state: 'failed', attempts: 10 });
  expect(slack.calls).toHaveLength(10);
});

it.each([
  ['a token that Slack refuses', { token: 'xoxb-revoked-one' }, 'slack: invalid_auth'],
  ['a token that this process can not open', { token: 'x' }, 'secret.unreadable: '],
])('a message fails at once with %s, and the channel shows why', async (_what, over, error) => {
  const { fake, tenant, channel, note, run, row } = await open(over);
  if (over.token === 'x') fake.kept[0]!.bot_token = Buffer.alloc(60);
  await note();
  await run();
  expect(await row()).toMatchObject({ state: 'failed', last_error: expect.stringContaining(error) as string });
  expect((await fake.channels.read(tenant, channel.channel_id))?.last_error).toContain(error);
});

it('no request goes to a private address that the operator has not allowed', async () => {
  const { note, run, row } = await open({ allowed: [] });
  await note();
  await run();
  expect(slack.calls).toEqual([]);
  expect(await row()).toMatchObject({ state: 'pending', last_error: expect.stringMatching(/^url\.refused/) as string });
});

it('a kernel that is away delays a message, and an approval that is gone ends it', async () => {
  const { fake, note, run, row, state } = await open();
  state.fault = new Fault('bus.unreachable');
  await note();
  await run();
  expect(await row()).toMatchObject({ state: 'pending', last_error: 'bus.unreachable' });
  state.fault = new Fault('not_found');
  fake.now += 10_000;
  await run();
  expect(await row()).toMatchObject({ state: 'failed', last_error: 'not_found' });
  expect(slack.calls).toEqual([]);
});
