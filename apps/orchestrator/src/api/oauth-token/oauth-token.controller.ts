// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { InForm, type FormRequest } from '../../edge/requests/form.ts';
import { Route } from '../../edge/requests/route.ts';
import { TokenGrants } from './grants.ts';
import { OAUTH_ERROR_STATUS, OauthError, type OauthErrorView } from './oauth-error.ts';
import { OAUTH_TOKEN } from './routes.ts';
import type { TokenAnswer } from './views.ts';

/** The token endpoint. No cache stores its answers (AccessLog). */
@Controller()
export class OauthTokenController {
  constructor(private readonly grants: TokenGrants) {}

  @Route(OAUTH_TOKEN.token)
  token(@InForm() form: FormRequest, @InExchange() exchange: Exchange): Promise<TokenAnswer | OauthErrorView> {
    return inOauth(exchange, async () => await this.grants.answer(form.address, await form.fields()));
  }
}

/** Answers an OAuth error as OAuth clients read it. Other errors become problems. */
export async function inOauth<T>(exchange: Exchange, run: () => Promise<T>): Promise<T | OauthErrorView> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof OauthError)) throw error;
    exchange.setStatus(OAUTH_ERROR_STATUS);
    return { error: error.error, error_description: error.message };
  }
}
