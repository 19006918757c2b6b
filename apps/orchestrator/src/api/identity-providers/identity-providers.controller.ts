// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { requireMatch } from '@writ/nest-kit';
import { ProtectedResource } from '../../edge/access/oauth/protected-resource.ts';
import { sessionDoneUri, signedInUri } from '../../edge/access/sign-in/redirect-uris.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { Identities, type ProviderRow } from '../../store/identities/identities.ts';
import { ChangeProviders, type PresentCondition } from './change-providers.ts';
import { IDENTITY_PROVIDERS } from './routes.ts';
import type { Ended, ProviderView } from './views.ts';

@Controller()
export class IdentityProvidersController {
  constructor(
    private readonly identities: Identities,
    private readonly change: ChangeProviders,
    private readonly resource: ProtectedResource,
  ) {}

  @Route(IDENTITY_PROVIDERS.list)
  async list(
    @RequestInput() { caller }: RequestInputOf<typeof IDENTITY_PROVIDERS.list>,
  ): Promise<{ items: ProviderView[] }> {
    return { items: (await this.identities.list(caller.tenant_id)).map((row) => this.#viewOf(row)) };
  }

  @Route(IDENTITY_PROVIDERS.read)
  async read(
    @RequestInput() { caller, params }: RequestInputOf<typeof IDENTITY_PROVIDERS.read>,
  ): Promise<ProviderView> {
    const row = await this.identities.read(caller.tenant_id, params.provider);
    if (row?.removed_at !== null) throw new Fault('not_found');
    return this.#viewOf(row);
  }

  @Route(IDENTITY_PROVIDERS.put)
  async put(@RequestInput() request: RequestInputOf<typeof IDENTITY_PROVIDERS.put>): Promise<ProviderView> {
    return this.#viewOf(await this.change.put(request.caller, request.body, this.#conditionOf(request)));
  }

  @Route(IDENTITY_PROVIDERS.putByPlatform)
  async putByPlatform(
    @RequestInput() { params, body }: RequestInputOf<typeof IDENTITY_PROVIDERS.putByPlatform>,
  ): Promise<ProviderView> {
    return this.#viewOf(await this.change.putByPlatform(params.tenant_id, body));
  }

  @Route(IDENTITY_PROVIDERS.remove)
  remove(@RequestInput() request: RequestInputOf<typeof IDENTITY_PROVIDERS.remove>): Promise<Ended> {
    return this.change.remove(request.caller, request.params.provider, this.#conditionOf(request));
  }

  @Route(IDENTITY_PROVIDERS.deny)
  deny(@RequestInput() { caller, params, body }: RequestInputOf<typeof IDENTITY_PROVIDERS.deny>): Promise<Ended> {
    return this.change.deny(caller, params.provider, body);
  }

  /** The condition of `If-Match`, on what the API shows of the registration. */
  #conditionOf({ ifMatch }: { readonly ifMatch: readonly string[] | null }): PresentCondition | undefined {
    if (ifMatch === null) return undefined;
    return (present) => requireMatch(ifMatch, present && this.#viewOf(present));
  }

  #viewOf(row: ProviderRow): ProviderView {
    const { url } = this.resource;
    const { jwks, ...shown } = row;
    return {
      ...(shown as Omit<ProviderView, 'redirect_uri' | 'session_redirect_uri' | 'pinned_keys'>),
      pinned_keys: jwks === null ? null : jwks.map(({ kid }) => kid),
      redirect_uri: url === null ? null : signedInUri(url, row.provider_id),
      session_redirect_uri: url === null ? null : sessionDoneUri(url, row.provider_id),
    };
  }
}
