// SPDX-License-Identifier: Apache-2.0
import { Fault, principalOf, type Caller, type DelegationView, type KernelRequest } from '@writ/contract';
import type { ApiKeys } from '../../store/keys/api-keys.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** Roles whose keys decide about approvals. */
const APPROVERS: ReadonlySet<string> = new Set(['admin', 'operator']);

/** What is lent to whom. */
export type Lent = Pick<KernelRequest<'delegation.create'>, 'to' | 'scope' | 'note' | 'expires_at'>;

/** Lends a person's right to approve to somebody who can use it. */
export class Delegate {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  readonly #keys: Pick<ApiKeys, 'rolesOf'>;

  constructor(kernel: Pick<KernelClient, 'ask'>, keys: Pick<ApiKeys, 'rolesOf'>) {
    this.#kernel = kernel;
    this.#keys = keys;
  }

  /**
   * Faults: `request.malformed` for somebody who has no valid key of a role that approves, and those of
   * `delegation.create`. A key of another role can't use what is lent, so such a delegation would only look like a
   * substitute.
   */
  async run(caller: Caller, lent: Lent): Promise<DelegationView> {
    // Whether the caller may lend at all is the kernel's to say, and so is a delegation to oneself.
    if (APPROVERS.has(caller.role) && lent.to !== principalOf(caller)) {
      verifyApprover(lent.to, await this.#keys.rolesOf(caller.tenant_id, lent.to));
    }
    return await this.#kernel.ask('delegation.create', caller, lent);
  }
}

function verifyApprover(to: string, roles: readonly string[]): void {
  if (roles.some((role) => APPROVERS.has(role))) return;
  const named = roles
    .toSorted()
    .map((role) => `\`${role}\``)
    .join(' and ');
  const has = roles.length === 0 ? 'nobody with a valid API key is called' : `only keys of the role ${named} belong to`;
  const wanted = 'an approval takes the role `admin` or `operator`';
  const help = 'make them a key of that role first, with their name as its `principal`';
  throw new Fault('request.malformed', `${has} \`${to}\`, and ${wanted}: ${help}`, { pointer: '/to' });
}
