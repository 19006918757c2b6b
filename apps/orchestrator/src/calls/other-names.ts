// SPDX-License-Identifier: Apache-2.0
import { PRINCIPALS_MAX, principalOf, type Caller } from '@writ/contract';
import type { ApiKeys } from '../store/keys/api-keys.ts';
import type { Offboardings } from '../store/members/offboardings.ts';

/**
 * The other names of a caller. INVARIANT (one member, one person): a member has several names after another one at its
 * issuer, or with subjects of several issuers. Under none of them does it decide about what it proposed under another
 * one, or vote again.
 */
export class OtherNames {
  readonly #keys: Pick<ApiKeys, 'read'>;
  readonly #names: Pick<Offboardings, 'principalsOf'>;

  constructor(keys: Pick<ApiKeys, 'read'>, names: Pick<Offboardings, 'principalsOf'>) {
    this.#keys = keys;
    this.#names = names;
  }

  /** To spread into a request of the kernel, which refuses more names than it takes. */
  async of(caller: Caller): Promise<{ readonly other_names?: string[] }> {
    const { tenant_id, api_key_id } = caller;
    const { member_id = null } = (await this.#keys.read(tenant_id, api_key_id)) ?? {};
    if (member_id === null) return {};
    // The own name is one of them, and one too many shows the kernel that there are more than it takes.
    const page = { after: null, limit: PRINCIPALS_MAX + 2 };
    const names = await this.#names.principalsOf(tenant_id, member_id, page);
    const other_names = names.filter((name) => name !== principalOf(caller));
    return other_names.length === 0 ? {} : { other_names };
  }
}
