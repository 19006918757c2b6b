// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { EgressTarget } from '@writ/egress';
import type { Call } from '../calls/runner.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';

type Secrets = Pick<Call, 'resourceSecrets'>;

/** What a header's value may hold (RFC 9110 §5.5), in ASCII. */
export const FIELD_VALUE = /^[\t\x20-\x7e]*$/;

/** A header with a secret, as settings describe it. */
export interface SecretHeader {
  readonly name: string;
  /** what stands before the value, such as `Bearer ` */
  readonly prefix: string;
  /** the name of the secret */
  readonly secret: string;
}

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

/**
 * A header with the value of a secret of a resource.
 * @throws GateRefusal `egress.refused` for one that would leave in clear, and for a value that no header can hold;
 * Fault `permit.invalid` where the value did not come with the call
 */
export function secretHeader(
  call: Secrets,
  { name, prefix, secret }: SecretHeader,
  target: Pick<EgressTarget, 'scheme'>,
): readonly [name: string, value: string] {
  verifyPrivate(target);
  const value = `${prefix}${secretOf(call, secret)}`;
  if (!FIELD_VALUE.test(value))
    throw new GateRefusal('egress.refused', `the secret \`${secret}\` can't stand in a header`);
  return [name.toLowerCase(), value];
}
