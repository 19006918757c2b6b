// SPDX-License-Identifier: Apache-2.0
import type { McpToolState } from '../../data/tools.ts';
import { en } from '../../words/en.ts';

/** What the address of the list of tools says. */
export interface ToolsSearch {
  readonly find?: string;
}

export const readToolsSearch = ({ find }: Readonly<Record<string, unknown>>): ToolsSearch =>
  typeof find === 'string' && find !== '' ? { find } : {};

/** What the address of a server's page says. */
export interface ServerSearch {
  readonly state?: McpToolState;
}

const STATES = Object.keys(en.tools.states) as readonly McpToolState[];

export function readServerSearch({ state }: Readonly<Record<string, unknown>>): ServerSearch {
  const known = STATES.find((one) => one === state);
  return known === undefined ? {} : { state: known };
}
