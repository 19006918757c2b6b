// SPDX-License-Identifier: Apache-2.0
import { REFUSED_AT_MAX } from '@writ/sandbox';

export interface AgentOptions {
  /** sends hello only after the greet message: a host that attaches after the start misses earlier messages */
  readonly waitsForGreeting: boolean;
  /** reports the container's usage, since no process outside can measure it */
  readonly reportsUsage: boolean;
  /** addresses, `IP:port` or `[IP]:port`, that must refuse the container before it sends hello */
  readonly refusedAt: readonly Address[];
}

export interface Address {
  readonly text: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Parses the program's arguments. Throws an Error that names an unknown one: an agent that lacks a requested option
 * MUST NOT start.
 */
export function parseOptions(args: readonly string[]): AgentOptions {
  let [waitsForGreeting, reportsUsage] = [false, false];
  const refusedAt: Address[] = [];
  for (const arg of args) {
    const [name = '', value = ''] = arg.split('=', 2);
    if (arg === '--wait-for-greeting') waitsForGreeting = true;
    else if (arg === '--tell-usage') reportsUsage = true;
    else if (name === '--refused-at' && refusedAt.length < REFUSED_AT_MAX) refusedAt.push(parseAddress(value));
    else throw new Error(`the sandbox agent has no option \`${arg}\``);
  }
  return { waitsForGreeting, reportsUsage, refusedAt };
}

/** Parses an address that must refuse the container. Throws an Error with the expected form. */
export function parseAddress(text: string): Address {
  const [, six, four, port = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? four;
  if (host === undefined) throw new Error(`\`--refused-at\` takes \`IP:port\`, not \`${text}\``);
  return { text, host, port: Number(port) };
}
