// SPDX-License-Identifier: Apache-2.0
import ipaddr from 'ipaddr.js';

/**
 * Where global unicast addresses of IPv6 are (RFC 4291 §2.4, IANA): whatever lies elsewhere, known by name or not, is
 * for special purposes.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Addresses of the public Internet by their number that each machine of a cloud reaches as its host: Azure's platform,
 * which hands out configuration and certificates
 * (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
 */
const OF_THE_CLOUD: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Answers whether an address is one of the public Internet's, however it is written: not of this machine, its networks,
 * a cloud's metadata, or one that leads there by translation or tunnel (IPv4-mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address in the clothes of IPv6 is what it is.
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || OF_THE_CLOUD.has(address.toString())) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST);
}
