// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { EgressTarget } from '@writ/egress';
import type { Call } from '../calls/runner.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';

type Secrets = Pick<Call, 'resourceSecrets'>;

/**
 * The value of a secret that the settings of the call's resource name.
 * @throws Fault `permit.invalid` where it did not come with the call
 */
export function secretOf({ resourceSecrets }: Secrets, name: string): string {
  const value = Object.hasOwn(resourceSecrets, name) ? resourceSecrets[name] : undefined;
  if (value === undefined)
    throw new Fault('permit.invalid', `the value of the secret \`${name}\` of a resource did not come with the call`);
  return value;
}

/**
 * INVARIANT (never in clear): a secret of a resource leaves over TLS alone. Whoever puts one into a request asks this
 * first. @throws GateRefusal `egress.refused`
 */
export function verifyPrivate({ scheme }: Pick<EgressTarget, 'scheme'>): void {
  if (scheme === 'https') return;
  throw new GateRefusal(
    'egress.refused',
    'a secret of a resource goes over TLS alone: `http` would show it to everybody on the way',
    'an administrator gives the resource an address with `https`',
  );
}
