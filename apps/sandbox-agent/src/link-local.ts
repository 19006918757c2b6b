// SPDX-License-Identifier: Apache-2.0
// Finds egress over IPv6 that IPv4 rules don't close. An interface with an IPv6 link-local address reaches everything
// on its link, and many pod firewalls filter only IPv4.
import { readFile } from 'node:fs/promises';
import type { Address } from './options.ts';

/** Any port works: a neighbour without a listener there refuses the connection itself, which is an answer too. */
const PORT = 1;
/** The flag in `/proc/net/arp` of a neighbour whose link address is known (`ATF_COM` of Linux' if_arp.h). */
const COMPLETE = 0x2;

/**
 * `IFA_F_TENTATIVE` of Linux' if_addr.h: the kernel still checks for duplicates of the address and sends nothing from
 * it.
 */
const TENTATIVE = 0x40;

/** The neighbours that IPv6 may reach on the links of this container. */
export interface LinkNeighbours {
  readonly addresses: readonly Address[];
  /** Whether an own address is still tentative, so that a missing answer shows nothing. */
  readonly isTentative: boolean;
}

/**
 * The interfaces with an IPv6 address except loopback, from `/proc/net/if_inet6`: address, index, prefix, scope, flags,
 * name.
 */
export function ipv6Interfaces(text: string): { readonly names: ReadonlySet<string>; readonly isTentative: boolean } {
  const rows = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , , , name]) => name !== undefined && name !== 'lo');
  return {
    names: new Set(rows.map(([, , , , , name = '']) => name)),
    isTentative: rows.some(([, , , , flags = '0']) => (parseInt(flags, 16) & TENTATIVE) !== 0),
  };
}

/**
 * The IPv6 link-local addresses of the neighbours in `/proc/net/arp`, derived from their link addresses (RFC 4291,
 * appendix A), on interfaces with IPv6.
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
 * The neighbours of this container that IPv6 may reach; none where only loopback has IPv6. Call it after a connection
 * attempt over IPv4: only that fills the neighbour table.
 */
export async function linkLocalNeighbours(
  read: (path: string) => Promise<string> = (path) => readFile(path, 'utf8'),
): Promise<LinkNeighbours> {
  // Without the file the kernel has no IPv6.
  const { names, isTentative } = ipv6Interfaces(await read('/proc/net/if_inet6').catch(() => ''));
  return { addresses: names.size === 0 ? [] : neighbours(await read('/proc/net/arp'), names), isTentative };
}
