// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, type Caller } from '@writ/contract';
import { ChangeSignIns } from '../../edge/access/sign-in/change-sign-ins.ts';
import { PresentedSignIn } from '../../edge/access/sign-in/presented-sign-in.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { InForm, type FormRequest } from '../../edge/requests/form.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { Identities } from '../../store/identities/identities.ts';
import { SignIns, type ListedSignIn } from '../../store/sign-ins/sign-ins.ts';
import { requestOf } from '../../edge/oauth-endpoint/grants.ts';
import { inOauth, type OauthErrorView } from '../../edge/oauth-endpoint/oauth-error.ts';
import { DeviceFlow } from './device-flow.ts';
import { SIGN_INS } from './routes.ts';
import type { CurrentSignIn, DeviceAuthorization, SignedOut, SignInView } from './views.ts';

type Listed = Promise<{ items: SignInView[]; next_cursor: string | null }>;

/** Sessions of people who signed in, for those who list and end them. */
@Controller()
export class SignInController {
  constructor(
    private readonly signIns: SignIns,
    private readonly change: ChangeSignIns,
    private readonly presented: PresentedSignIn,
    private readonly identities: Identities,
    private readonly devices: DeviceFlow,
  ) {}

  @Route(SIGN_INS.askDevice)
  askDevice(
    @InForm() form: FormRequest,
    @InExchange() exchange: Exchange,
  ): Promise<DeviceAuthorization | OauthErrorView> {
    return inOauth(exchange, async () => await this.devices.ask(requestOf(form.address, await form.fields())));
  }

  @Route(SIGN_INS.read)
  async read(
    @RequestInput() _input: RequestInputOf<typeof SIGN_INS.read>,
    @InExchange() { presented }: Exchange,
  ): Promise<CurrentSignIn> {
    const session = await this.presented.find(presented);
    if (session === null) return { sign_in: null, key_session: this.presented.detailsOfKey(presented) };
    const listed = await this.signIns.read(session.tenantId, session.signInId, 'tenant');
    if (listed === null) throw new Fault('auth.invalid');
    const sign_in = { ...(listed as SignInView), ...(await this.presented.detailsOf(session)) };
    return { sign_in, key_session: null };
  }

  @Route(SIGN_INS.signOut)
  async signOut(
    @RequestInput() { caller }: RequestInputOf<typeof SIGN_INS.signOut>,
    @InExchange() exchange: Exchange,
  ): Promise<SignedOut> {
    const session = await this.presented.find(exchange.presented);
    if (session === null) {
      // Nothing of it is stored: whoever has a copy goes on until it expires, or its key is revoked.
      if (this.presented.detailsOfKey(exchange.presented) !== null)
        exchange.setHeader('set-cookie', this.presented.removedCookie);
      return { ended: null };
    }
    await this.change.signOut(session);
    if (session.kind === 'browser') exchange.setHeader('set-cookie', this.presented.removedCookie);
    const ended = await this.signIns.read(caller.tenant_id, session.signInId, 'tenant');
    return { ended: ended as SignInView | null };
  }

  @Route(SIGN_INS.listOwn)
  async listOwn(@RequestInput() { caller, query }: RequestInputOf<typeof SIGN_INS.listOwn>): Listed {
    const subject_hash = await this.#subjectOf(caller);
    if (subject_hash === null) return { items: [], next_cursor: null };
    return (await this.signIns.list(caller.tenant_id, { subject_hash }, pageOf(query))) as Awaited<Listed>;
  }

  @Route(SIGN_INS.endOwn)
  async endOwn(@RequestInput() { caller, params }: RequestInputOf<typeof SIGN_INS.endOwn>): Promise<SignInView> {
    const subject_hash = await this.#subjectOf(caller);
    return foundOrThrow(
      subject_hash === null ? null : await this.change.end(caller, params.sign_in_id, { subject_hash }),
    );
  }

  @Route(SIGN_INS.list)
  async list(@RequestInput() { caller, query }: RequestInputOf<typeof SIGN_INS.list>): Listed {
    return (await this.signIns.list(caller.tenant_id, 'tenant', pageOf(query))) as Awaited<Listed>;
  }

  @Route(SIGN_INS.end)
  async end(@RequestInput() { caller, params }: RequestInputOf<typeof SIGN_INS.end>): Promise<SignInView> {
    return foundOrThrow(await this.change.end(caller, params.sign_in_id, 'tenant'));
  }

  /** Whose sessions are the caller's. An API key is of nobody that an issuer vouches for. */
  async #subjectOf({ tenant_id, api_key_id }: Caller): Promise<Buffer | null> {
    return (await this.identities.credential(tenant_id, api_key_id))?.subject_hash ?? null;
  }
}

function foundOrThrow(found: ListedSignIn | null): SignInView {
  if (found === null) throw new Fault('not_found');
  return found as SignInView;
}
