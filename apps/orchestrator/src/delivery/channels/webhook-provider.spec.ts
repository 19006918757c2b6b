// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { Webhook } from 'standardwebhooks';
import { EgressGate } from '../../edge/outbound/egress-gate.ts';
import { openScriptedHttp, type OddAnswer } from '../../specs/scripted-http.ts';
import { newSecret } from '../webhooks/secrets.ts';
import { newApproval, PAGE, providerContract, type Misbehaviour } from './provider.contract.ts';
import { utcOf } from './shown-approval.ts';
import { webhookProvider } from './webhook-provider.ts';

const ODD: Readonly<Record<Misbehaviour, OddAnswer>> = {
  refuse: { status: 410 },
  pause: { status: 429, retryAfter: '30' },
  silent: 'silent',
  malformed: 'malformed',
  long: { status: 200, body: 'x'.repeat(300_000) },
  redirect: { status: 307, location: '/hook' },
};

/** A receiver that verifies signatures with the library of Standard Webhooks. */
const open = async () => {
  const secret = newSecret().text;
  const messages: { readonly id: string; readonly data: Record<string, unknown> }[] = [];
  const http = await openScriptedHttp((request, response, body) => {
    const headers = request.headers as Record<string, string>;
    const { data } = new Webhook(secret).verify(body, headers) as { data: Record<string, unknown> };
    messages.push({ id: headers['webhook-id'] ?? '', data });
    response.writeHead(204).end();
  });
  const { place, close, failures, paths } = http;
  return {
    ...{ settings: { url: `http://${place}/hook` }, secret, place, close, messages },
    provider: (gate: EgressGate) => webhookProvider({ gate, now: Date.now, timeoutMs: 500 }),
    received: () => messages.map(({ data: { url, ...rest } }) => ({ text: textOf(rest), links: [String(url)] })),
    misbehave: (how: Misbehaviour) => void failures.push(ODD[how]),
    attempts: () => paths.length,
  };
};

/** The values of a message, its times as a person reads them. */
function textOf(data: object): string {
  return Object.entries(data)
    .map(([name, value]) => (name.endsWith('_at') && typeof value === 'number' ? utcOf(value) : String(value)))
    .join('\n');
}
providerContract('a webhook', open, { pauseMs: 30_000, longIsSent: true, redirects: true });

it('each change is a message of its own id, which another attempt at it has, too', async () => {
  const stand = await open();
  const provider = stand.provider(new EgressGate(new Set([stand.place])));
  const [approval, channel_id] = [newApproval(), newId('channel')];
  const post = { channel_id, settings: stand.settings, secret: stand.secret, reference: null, approval, link: PAGE };
  stand.misbehave('pause');
  for (const change of [1, 1, 2]) await provider.send({ ...post, change });
  expect(stand.messages.map(({ id }) => id)).toEqual([1, 2].map((n) => `${channel_id}.${approval.approval_id}.${n}`));
  expect(stand.messages[0]?.data).toEqual({
    ...{ channel_id, approval_id: approval.approval_id, operation_id: approval.operation_id, tool_id: 'shell.run' },
    ...{ agent_id: approval.agent_id, of: 'effect', state: 'pending', digest: 'e'.repeat(64), escalated_to: [] },
    ...{
      votes: { given: 0, needed: 2 },
      expires_at: approval.expires_at,
      decided_at: null,
      decided_by: null,
      url: PAGE,
    },
  });
  await stand.close();
});
