// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { Bus } from '@writ/bus';
import { Fault, MCP_CONSENT_REQUESTS, parseMessage, subjectsOf, type McpConsentView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { consentCodeContext, HpkeBox } from '@writ/sealing';
import type { Static } from 'typebox';

type Requests = typeof MCP_CONSENT_REQUESTS;
interface Consent {
  view: McpConsentView;
  readonly subject: string;
  session: string | null;
  state: string | null;
}

/** The kernel's consents, by the contract: each is confirmed by its subject, and ended by its session. */
export class FakeConsents {
  /** where a person consents; its parameter `state` is set here */
  authorizeUrl = 'https://upstream.example/authorize';
  readonly confirmed: Static<Requests['confirm']>[] = [];
  /** the codes that came, opened */
  readonly codes: string[] = [];
  readonly errors: string[] = [];
  readonly #box = new HpkeBox(Buffer.alloc(32, 9));
  readonly #consents = new Map<string, Consent>();

  /** Makes a consent that the subject asked for. Returns its handle. */
  ask(tenant_id: McpConsentView['tenant_id'], subject: string, more: Partial<McpConsentView> = {}): string {
    const handle = randomBytes(32).toString('base64url');
    const view: McpConsentView = {
      tenant_id,
      tenant_name: 'Acme',
      connection_id: newId('connection'),
      resource_id: newId('resource'),
      yours: null,
      server: 'github',
      at: 'mcp.example.org',
      issuer: 'https://upstream.example',
      place: 'login.upstream.example',
      scopes: ['issues:read'],
      lists: false,
      state: 'asked',
      expires_at: Date.now() + 600_000,
      ...more,
    };
    this.#consents.set(handle, { view, subject, session: null, state: null });
    return handle;
  }

  /** What its page shows. */
  viewOf(handle: string): McpConsentView {
    return this.#find(this.#consents.get(handle)).view;
  }

  /** Moves a consent on, as an executor does. */
  set(handle: string, state: McpConsentView['state']): void {
    const consent = this.#consents.get(handle);
    if (consent !== undefined) consent.view = { ...consent.view, state };
  }

  async serve(bus: Bus): Promise<void> {
    const serve = async <V extends keyof Requests>(
      verb: V,
      handle: (request: Static<Requests[V]>) => unknown,
    ): Promise<void> => {
      await bus.serve(subjectsOf('s0').request(`kernel.mcp_consent.${verb}`), {
        queue: 'kernel',
        concurrencyMax: 100,
        handler: async ({ payload }) => handle(parseMessage(MCP_CONSENT_REQUESTS[verb], payload) as never),
      });
    };
    await serve('look', ({ handle, subject_hash }) => {
      const { view, subject } = this.#find(this.#consents.get(handle));
      return { ...view, yours: subject_hash === null ? null : subject_hash === subject };
    });
    await serve('confirm', (request) => {
      const consent = this.#find(this.#consents.get(request.handle));
      if (consent.subject !== request.subject_hash) throw new Fault('mcp.consent_not_yours');
      if (consent.view.state !== 'asked' && consent.view.state !== 'confirmed') throw new Fault('conflict');
      this.confirmed.push(request);
      consent.view = { ...consent.view, state: 'confirmed' };
      consent.session = request.session_hash;
      consent.state = randomBytes(32).toString('base64url');
      const url = new URL(this.authorizeUrl);
      url.searchParams.set('state', consent.state);
      return { authorize_url: url.href };
    });
    await serve('key', async () => ({ public_key: (await this.#box.publicKey()).toString('base64') }));
    await serve('callback', async ({ state, session_hash, resource_id, code, error }) => {
      const consent = this.#find([...this.#consents.values()].find((each) => each.state === state));
      if (consent.session !== session_hash || consent.view.resource_id !== resource_id) throw new Fault('not_found');
      consent.state = null;
      if (code !== null)
        this.codes.push(
          Buffer.from(await this.#box.open(Buffer.from(code, 'base64'), consentCodeContext(state))).toString(),
        );
      if (error !== null) this.errors.push(error);
      consent.view = { ...consent.view, state: code === null ? 'failed' : 'exchanging' };
      return stateOf(consent);
    });
    await serve('status', ({ connection_id, session_hash }) => {
      const consent = this.#find([...this.#consents.values()].find(({ view }) => view.connection_id === connection_id));
      if (consent.session !== session_hash) throw new Fault('not_found');
      return stateOf(consent);
    });
  }

  #find(consent: Consent | undefined): Consent {
    if (consent === undefined) throw new Fault('not_found');
    return consent;
  }
}

const stateOf = ({ view: { connection_id, server, state } }: Consent) => ({
  connection_id,
  server,
  state,
  problem: state === 'failed' ? { code: 'mcp.consent_failed', message: 'the person said no <b>' } : null,
});
