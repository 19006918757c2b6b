// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { TokenGrants } from '../../edge/oauth-endpoint/grants.ts';
import { inOauth, type OauthErrorView } from '../../edge/oauth-endpoint/oauth-error.ts';
import type { TokenAnswer } from '../../edge/oauth-endpoint/token-answer.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { InForm, type FormRequest } from '../../edge/requests/form.ts';
import { Route } from '../../edge/requests/route.ts';
import { OAUTH_TOKEN } from './routes.ts';

/** The token endpoint. No cache stores its answers (AccessLog). */
@Controller()
export class OauthTokenController {
  constructor(private readonly grants: TokenGrants) {}

  @Route(OAUTH_TOKEN.token)
  token(@InForm() form: FormRequest, @InExchange() exchange: Exchange): Promise<TokenAnswer | OauthErrorView> {
    return inOauth(exchange, async () => await this.grants.answer(form.address, await form.fields()));
  }
}
