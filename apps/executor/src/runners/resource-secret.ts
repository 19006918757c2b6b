// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { Call } from '../calls/runner.ts';

/**
 * The value of a secret that the settings of the call's resource name.
 * @throws Fault `permit.invalid` where it did not come with the call
 */
export function secretOf({ resourceSecrets }: Pick<Call, 'resourceSecrets'>, name: string): string {
  const value = Object.hasOwn(resourceSecrets, name) ? resourceSecrets[name] : undefined;
  if (value === undefined)
    throw new Fault('permit.invalid', `the value of the secret \`${name}\` of a resource did not come with the call`);
  return value;
}
