// SPDX-License-Identifier: Apache-2.0
import { Fault, isServiceAccount, principalOf, type Caller } from '@writ/contract';

/**
 * INVARIANT (a machine never votes): the kernel refuses service accounts, too. One of the version before knows none, so
 * that they are refused here first. Fault `auth.role`.
 */
export function requirePerson(caller: Caller): void {
  if (isServiceAccount(principalOf(caller)))
    throw new Fault('auth.role', 'a service account decides about no call, and lends no right to: it takes a person');
}
