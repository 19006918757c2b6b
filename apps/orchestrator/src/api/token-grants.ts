// SPDX-License-Identifier: Apache-2.0
import type { Provider } from '@nestjs/common';
import { provideBy } from '@writ/nest-kit';
import { KernelClient } from '../calls/kernel/kernel-client.ts';
import { Authenticator } from '../edge/access/authenticator.ts';
import { ProtectedResource } from '../edge/access/oauth/protected-resource.ts';
import { PerMinute } from '../edge/access/per-minute.ts';
import { RateLimit } from '../edge/access/rate-limit.ts';
import { TokenGrants } from '../edge/oauth-endpoint/grants.ts';
import { ApiKeys } from '../store/keys/api-keys.ts';
import { TOKEN_EXCHANGE, TokenExchange } from './oauth-token/token-exchange.ts';
import { DEVICE_GRANT, DeviceFlow, REFRESH_GRANT } from './sign-in/device-flow.ts';

/** Exchanges of one key within a minute, per replica: a step of work takes seconds, and many run beside each other. */
const EXCHANGES_PER_MINUTE = 600;

/** Provides the grants of the token endpoint: one row each. */
export function oauthTokenProviders(): Provider[] {
  return [
    provideBy(
      TokenGrants,
      [KernelClient, ApiKeys, Authenticator, RateLimit, ProtectedResource, DeviceFlow],
      (kernel, keys, authenticator, rate, { url: publicUrl }, device) => {
        const perKey = new PerMinute(EXCHANGES_PER_MINUTE, 'exchanges of one key', () => performance.now());
        const parts = { kernel, keys, authenticator, rate, perKey, publicUrl, now: Date.now };
        const exchange = new TokenExchange(parts);
        return new TokenGrants({
          [TOKEN_EXCHANGE]: exchange.grant,
          [DEVICE_GRANT]: (request) => device.token(request),
          [REFRESH_GRANT]: (request) => device.refresh(request),
        });
      },
    ),
  ];
}
