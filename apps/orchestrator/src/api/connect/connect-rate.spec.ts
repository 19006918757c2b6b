// SPDX-License-Identifier: Apache-2.0
// What pages of consents cost a tenant.
import { Browser, freePort } from '@writ/testing';
import { FakeConsents } from '../../specs/fake-consents.ts';
import { openTestApi, PLATFORM_KEY, TEST_CONFIG } from '../../specs/test-api.ts';
import { testIdentityProvider } from '../../specs/test-identity-provider.ts';
import { IdentityHashes } from '../../edge/access/oauth/person-links.ts';

/** The link, the answer of the provider, and the page after it. */
const BURST = 3;

it('an answer of an identity provider is a request of the tenant, and asks the provider nothing beyond its rate', async () => {
  const provider = await testIdentityProvider();
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const api = await openTestApi(
    { WRIT_PUBLIC_URL: url, WRIT_RATE_PER_SECOND: 1, WRIT_RATE_BURST: BURST, issuerAllowed: new Set([provider.place]) },
    port,
  );
  try {
    const consents = new FakeConsents();
    await consents.serve(api.bus);
    const { tenantId } = await api.newTenant();
    const { issuer } = provider.issuer;
    const body = { name: 'corp', issuer, sign_in: { client_id: 'writ' } };
    api.kernel.handlers.set('change.record', () => ({ recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' }));
    await api.ask('POST', `/v1/tenants/${tenantId}/identity-providers`, { key: PLATFORM_KEY, body });
    const subject = new IdentityHashes(TEST_CONFIG.webhookKey).of('subject', tenantId, issuer, 'ann-1').toString('hex');
    const link = `${url}/connect/${consents.ask(tenantId, subject)}`;
    const browser = new Browser();
    const stopped = await browser.open(link, `${url}/connect/signed-in`);
    const [, attempt = ''] = /writ_sign_in=([^;]+)/.exec(browser.cookiesFor(url)) ?? [];
    expect((await browser.open(stopped.url)).status).toBe(200);
    browser.plant(url, 'writ_sign_in', attempt);
    expect((await browser.open(stopped.url)).status).toBe(429);
    expect(provider.state.presented).toHaveLength(1);
  } finally {
    await api.close();
    provider.close();
  }
});
