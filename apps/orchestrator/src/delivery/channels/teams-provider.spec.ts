// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { EgressGate } from '../../edge/outbound/egress-gate.ts';
import { openFakeTeams } from '../../specs/fake-teams.ts';
import type { OddAnswer } from '../../specs/scripted-http.ts';
import { newApproval, PAGE, providerContract, type Misbehaviour } from './provider.contract.ts';
import type { ShownApproval } from './shown-approval.ts';
import { teamsProvider } from './teams-provider.ts';

const ODD: Readonly<Record<Misbehaviour, OddAnswer>> = {
  refuse: { status: 401, body: '{"error":{"code":"DirectApiAuthorizationRequired"}}' },
  pause: { status: 429, retryAfter: '30' },
  silent: 'silent',
  malformed: 'malformed',
  long: { status: 202, body: 'x'.repeat(300_000) },
  redirect: { status: 302, location: '/workflows/a' },
};

const open = async () => {
  const teams = await openFakeTeams();
  const { cards, url, place, close, failures, paths } = teams;
  return {
    ...{ settings: { origin: `http://${place}` }, secret: url, place, close, cards },
    provider: (gate: EgressGate) => teamsProvider({ gate, now: Date.now, timeoutMs: 500 }),
    received: () => cards,
    misbehave: (how: Misbehaviour) => void failures.push(ODD[how]),
    attempts: () => paths.length,
  };
};
providerContract('a workflow of Teams', open, { pauseMs: 30_000, longIsSent: true, redirects: true });

it('one message asks, one follows an escalation, one says what became of it, and votes send none', async () => {
  const stand = await open();
  const provider = stand.provider(new EgressGate(new Set([stand.place])));
  const approval = newApproval();
  const { settings, secret } = stand;
  let reference: string | null = null;
  const send = async (over: Partial<ShownApproval>): Promise<string[]> => {
    const post = { channel_id: newId('channel'), settings, secret, reference, change: 1, link: PAGE };
    const end = await provider.send({ ...post, approval: { ...approval, ...over } });
    if (end.sent) ({ reference } = end);
    return stand.cards.map(({ text }) => text.split('\n')[0] ?? '');
  };
  const votes = { ...approval.votes, given: 1 };
  const escalated_to = ['grp_x'] as unknown as NonNullable<ShownApproval['escalated_to']>;
  const [asked, escalated] = ['A call waits for a person', 'Escalated: a call still waits for a person'];
  expect(await send({})).toEqual([asked]);
  expect(await send({ votes })).toEqual([asked]);
  expect(await send({ votes, escalated_to })).toEqual([asked, escalated]);
  expect(await send({ votes, escalated_to })).toEqual([asked, escalated]);
  expect(await send({ state: 'approved', escalated_to })).toEqual([asked, escalated, 'Approved']);
  expect(await send({ state: 'approved', escalated_to })).toHaveLength(3);
  await stand.close();
});
