// SPDX-License-Identifier: Apache-2.0
// Egress that rules of IPv4 don't close. An interface with an IPv6 link-local address reaches everything on its link,
// and many firewalls of pods know IPv4 alone.
import { readFile } from 'node:fs/promises';
import type { Address } from './options.ts';

/** Any port: a neighbour that has no listener there refuses the connection itself, and that is an answer as well. */
const PORT = 1;
/** What `/proc/net/arp` says of a neighbour whose link address is known (`ATF_COM` of Linux' if_arp.h). */
const COMPLETE = 0x2;

/**
 * `IFA_F_TENTATIVE` of Linux' if_addr.h: it isn't known yet whether somebody else has the address, and nothing is sent
 * from it.
 */
const TENTATIVE = 0x40;

/** What IPv6 may reach on the links of this container. */
export interface LinkNeighbours {
  readonly addresses: readonly Address[];
  /** Whether an address of its own can't be used yet, so that a silence shows nothing. */
  readonly isEarly: boolean;
}

/**
 * The interfaces but loopback that have an IPv6 address, out of `/proc/net/if_inet6`: address, index, prefix, scope,
 * flags, name.
 */
export function ipv6Interfaces(text: string): { readonly names: ReadonlySet<string>; readonly isEarly: boolean } {
  const rows = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , , , name]) => name !== undefined && name !== 'lo');
  return {
    names: new Set(rows.map(([, , , , , name = '']) => name)),
    isEarly: rows.some(([, , , , flags = '0']) => (parseInt(flags, 16) & TENTATIVE) !== 0),
  };
}

/**
 * The IPv6 link-local addresses of the neighbours that `/proc/net/arp` lists, as they make them of their link addresses
 * (RFC 4291, appendix A), on interfaces that have IPv6.
 */
export function neighbours(arp: string, interfaces: ReadonlySet<string>): Address[] {
  const rows = arp
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([, , flags = '0', mac = '', , device = '']) => {
    if ((Number(flags) & COMPLETE) === 0 || !interfaces.has(device) || !/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac))
      return [];
    const host = `${linkLocalOf(mac)}%${device}`;
    return [{ text: `[${host}]:${PORT}`, host, port: PORT }];
  });
}

function linkLocalOf(mac: string): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = mac.split(':').map((byte) => parseInt(byte, 16));
  const groups = [((a ^ 2) << 8) | b, (c << 8) | 0xff, 0xfe00 | d, (e << 8) | f];
  return `fe80::${groups.map((group) => group.toString(16)).join(':')}`;
}

/**
 * The neighbours of this container that IPv6 may reach; none where no interface but loopback has it. Ask after a
 * connection was tried by IPv4: only then is a neighbour known.
 */
export async function linkLocalNeighbours(
  read: (path: string) => Promise<string> = (path) => readFile(path, 'utf8'),
): Promise<LinkNeighbours> {
  // Without the file the kernel has no IPv6.
  const { names, isEarly } = ipv6Interfaces(await read('/proc/net/if_inet6').catch(() => ''));
  return { addresses: names.size === 0 ? [] : neighbours(await read('/proc/net/arp'), names), isEarly };
}
