// SPDX-License-Identifier: Apache-2.0
import ipaddr from 'ipaddr.js';

/**
 * The range of global unicast addresses of IPv6 (RFC 4291 §2.4, IANA): all other addresses, named ranges or not, have
 * special purposes.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Addresses in the public range that each machine of a cloud reaches as its host: Azure's platform, which serves
 * configuration and certificates (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
 */
const CLOUD_HOST_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Answers whether an address is on the public Internet, in any spelling: not of this machine, its networks, a cloud's
 * metadata, nor one that leads there by translation or tunnel (IPv4-mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address in IPv6 form counts as the IPv4 address.
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || CLOUD_HOST_ADDRESSES.has(address.toString())) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST);
}
