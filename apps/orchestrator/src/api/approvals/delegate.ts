// SPDX-License-Identifier: Apache-2.0
import { Fault, principalOf, type Caller, type DelegationView, type KernelRequest } from '@writ/contract';
import type { ApiKeys } from '../../store/keys/api-keys.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { requirePerson } from './require-person.ts';

/** Roles whose keys may approve. */
const APPROVERS: ReadonlySet<string> = new Set(['admin', 'operator']);

/** The delegate, the scope and the validity of a delegation. */
export type DelegationRequest = Pick<KernelRequest<'delegation.create'>, 'to' | 'scope' | 'note' | 'expires_at'>;

/** Delegates a person's right to approve to another person who can use it. */
export class Delegate {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  readonly #keys: Pick<ApiKeys, 'rolesOf'>;

  constructor(kernel: Pick<KernelClient, 'ask'>, keys: Pick<ApiKeys, 'rolesOf'>) {
    this.#kernel = kernel;
    this.#keys = keys;
  }

  /**
   * Faults: `request.malformed` for a person without a valid key of a role that may approve, and those of
   * `delegation.create`. A key of another role can't use the delegation, so it would have no effect.
   */
  async run(caller: Caller, request: DelegationRequest): Promise<DelegationView> {
    requirePerson(caller);
    // The kernel decides whether the caller may delegate, and refuses a delegation to oneself.
    if (APPROVERS.has(caller.role) && request.to !== principalOf(caller)) {
      verifyApprover(request.to, await this.#keys.rolesOf(caller.tenant_id, request.to));
    }
    return await this.#kernel.ask('delegation.create', caller, request);
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
