// SPDX-License-Identifier: Apache-2.0
import { textsOf, type AddressMembers } from '../../parts/address.ts';

/** What the address of the editor says: the set that it begins with; none: the one in force. */
export interface EditSearch {
  readonly from?: string;
}

export const readEditSearch = (given: AddressMembers): EditSearch => textsOf(given, 'from');
