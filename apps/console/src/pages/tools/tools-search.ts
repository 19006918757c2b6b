// SPDX-License-Identifier: Apache-2.0
import type { McpToolState } from '../../data/tools.ts';
import { textsOf, type AddressMembers } from '../../parts/address.ts';
import { en } from '../../words/en.ts';

/** What the address of the list of tools says. */
export interface ToolsSearch {
  readonly find?: string;
}

export const readToolsSearch = (given: AddressMembers): ToolsSearch => textsOf(given, 'find');

/** What the address of a server's page says. */
export interface ServerSearch {
  readonly state?: McpToolState;
}

const STATES = Object.keys(en.tools.states) as readonly McpToolState[];

export function readServerSearch({ state }: AddressMembers): ServerSearch {
  const known = STATES.find((one) => one === state);
  return known === undefined ? {} : { state: known };
}
