// SPDX-License-Identifier: Apache-2.0
import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { WebhookSecrets } from './secrets.ts';

const of = { tenant_id: 'ten_a', webhook_id: 'whk_a' };
const secrets = new WebhookSecrets(randomBytes(32));
const message = { message_id: 'ntc_1', body: '{"type":"approval.pending","note":"é"}' };

test("a signed message verifies with the standard's own library and the shown secret, and a changed one does not", () => {
  const { text, sealed } = secrets.make(of);
  expect(text).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const headers = secrets.headers(of, [sealed], message, Date.now());
  expect(new Webhook(text).verify(message.body, headers)).toEqual(JSON.parse(message.body));
  expect(() => new Webhook(text).verify(message.body.replace('pending', 'denied'), headers)).toThrow('signature');
  expect(() => new Webhook(text).verify(message.body, { ...headers, 'webhook-id': 'ntc_2' })).toThrow('signature');
  expect(() => new Webhook(secrets.make(of).text).verify(message.body, headers)).toThrow('signature');
  expect(() =>
    new Webhook(text).verify(message.body, secrets.headers(of, [sealed], message, Date.now() - 600_000)),
  ).toThrow('too old');
});

test('the signed bytes are those of the standard', () => {
  const { text, sealed } = secrets.make(of);
  const signature = createHmac('sha256', Buffer.from(text.slice('whsec_'.length), 'base64'))
    .update(`ntc_1.1700000000.${message.body}`)
    .digest('base64');
  expect(secrets.headers(of, [sealed], message, 1_700_000_000_999)).toEqual({
    'webhook-id': 'ntc_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${signature}`,
  });
});

test('during a rotation a message verifies with either secret', () => {
  const [now, before] = [secrets.make(of), secrets.make(of)];
  const headers = secrets.headers(of, [now.sealed, before.sealed], message, Date.now());
  for (const { text } of [now, before]) expect(() => new Webhook(text).verify(message.body, headers)).not.toThrow();
});

test('a stored secret is encrypted under one key, and bound to one webhook of one tenant', () => {
  const { text, sealed } = secrets.make(of);
  expect(sealed.includes(Buffer.from(text.slice('whsec_'.length), 'base64'))).toBe(false);
  for (const other of [
    { ...of, webhook_id: 'whk_b' },
    { ...of, tenant_id: 'ten_b' },
  ])
    expect(() => secrets.headers(other, [sealed], message, 0)).toThrow();
  expect(() => new WebhookSecrets(randomBytes(32)).headers(of, [sealed], message, 0)).toThrow();
});
