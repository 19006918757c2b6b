// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { KernelClient } from './kernel/kernel-client.ts';
import { OF_SUBJECT_MAX } from '../edge/access/oauth/credentials.ts';
import { ProtectedResource } from '../edge/access/oauth/protected-resource.ts';
import { Identities } from '../store/identities/identities.ts';

/** A link to a consent. */
export interface ConnectionLink {
  readonly connection_id: string;
  /** the page that the person opens in a browser */
  readonly url: string;
  readonly expires_at: number;
}

/** Makes links by which people let MCP servers act under their rights. */
export class AskConnection {
  readonly #kernel: KernelClient;
  readonly #identities: Identities;
  readonly #resource: ProtectedResource;

  constructor(kernel: KernelClient, identities: Identities, resource: ProtectedResource) {
    this.#kernel = kernel;
    this.#identities = identities;
    this.#resource = resource;
  }

  /**
   * INVARIANT (a person): only whom an issuer vouches for asks, since an API key may be in many hands.
   * Faults: `auth.role` for a caller by API key, `conflict` where nobody can sign in; those of `mcp_connection.ask`.
   */
  async ask(caller: Caller, server: string, lists: boolean): Promise<ConnectionLink> {
    const { tenant_id, api_key_id } = caller;
    const credential = await this.#identities.credential(tenant_id, api_key_id);
    const { url } = this.#resource;
    if (credential === null || url === null)
      throw new Fault(
        'auth.role',
        'only a person can connect: send an access token of an identity provider of the tenant, and no API key',
      );
    const { subject_hash } = credential;
    const providers = (await this.#identities.list(tenant_id)).filter(({ sign_in }) => sign_in !== null);
    const own = providers.find(({ provider_id }) => provider_id === credential.provider_id);
    if (own === undefined)
      throw new Fault(
        'conflict',
        'nobody can sign in at your identity provider in a browser: an administrator sets its `sign_in` first',
      );
    const { connection_id, handle, expires_at } = await this.#kernel.ask('mcp_connection.ask', caller, {
      server,
      lists,
      subject_hash: subject_hash.toString('hex'),
      credentials: await this.#identities.credentialsOf(tenant_id, { subject_hash }, OF_SUBJECT_MAX),
    });
    // The page asks where to sign in unless it is clear.
    const where = providers.length === 1 ? '' : `?provider=${encodeURIComponent(own.name)}`;
    return { connection_id, url: `${url}/connect/${handle}${where}`, expires_at };
  }
}
