// SPDX-License-Identifier: Apache-2.0
import { UsageError } from './errors.ts';
import { addressOf } from './paths.ts';
import { platformOf } from './platform.ts';
import { Transport } from './transport.ts';
import type { WritOptions } from './writ-options.ts';

/** What sends the requests of a client. It keeps nothing. @throws UsageError for a missing address or key */
export function openTransport({ url, apiKey, fetch, ...defaults }: WritOptions): Transport {
  if (apiKey === undefined || apiKey === '')
    throw new UsageError('`apiKey` is missing: pass an API key, or null for the routes that need none');
  return new Transport(addressOf(url), apiKey, platformOf(fetch), defaults);
}
