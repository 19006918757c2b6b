// SPDX-License-Identifier: Apache-2.0
import { OauthErrorView } from '../../edge/oauth-endpoint/oauth-error.ts';
import { TokenAnswer, TokenForm } from '../../edge/oauth-endpoint/token-answer.ts';
import { route } from '../../edge/requests/route.ts';

export const OAUTH_TOKEN = {
  token: route({
    tag: 'sign-in',
    allowed: 'public',
    id: 'issueAccessToken',
    method: 'POST',
    path: '/v1/oauth/token',
    summary: 'Exchanges a grant for a token (RFC 6749 §3.2)',
    form: TokenForm,
    answers: {
      200: { description: 'The token', schema: TokenAnswer },
      400: { description: 'An error as OAuth defines it (RFC 6749 §5.2)', schema: OauthErrorView },
    },
    faults: ['rate.limited', 'request.unsupported_media_type', 'database.unavailable', 'bus.unreachable', 'deadline'],
  }),
};
