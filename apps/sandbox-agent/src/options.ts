// SPDX-License-Identifier: Apache-2.0
import { REFUSED_AT_MAX } from '@writ/sandbox';

export interface AgentOptions {
  /** says hello only when it is greeted: whoever attaches to it after its start hears nothing of what came before */
  readonly waitsForGreeting: boolean;
  /** tells what the container uses, since nobody outside can count it */
  readonly tellsUsage: boolean;
  /** addresses, `IP:port` or `[IP]:port`, that must refuse the container before it says hello */
  readonly refusedAt: readonly Address[];
}

export interface Address {
  readonly text: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Reads the program's arguments. Throws an Error that names the one that isn't understood: an agent that knows less
 * than it is asked MUST NOT start.
 */
export function parseOptions(args: readonly string[]): AgentOptions {
  let [waitsForGreeting, tellsUsage] = [false, false];
  const refusedAt: Address[] = [];
  for (const arg of args) {
    const [name = '', value = ''] = arg.split('=', 2);
    if (arg === '--wait-for-greeting') waitsForGreeting = true;
    else if (arg === '--tell-usage') tellsUsage = true;
    else if (name === '--refused-at' && refusedAt.length < REFUSED_AT_MAX) refusedAt.push(parseAddress(value));
    else throw new Error(`the sandbox agent has no option \`${arg}\``);
  }
  return { waitsForGreeting, tellsUsage, refusedAt };
}

/** Reads an address that must refuse the container. Throws an Error that names what it takes. */
export function parseAddress(text: string): Address {
  const [, six, four, port = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? four;
  if (host === undefined) throw new Error(`\`--refused-at\` takes \`IP:port\`, not \`${text}\``);
  return { text, host, port: Number(port) };
}
