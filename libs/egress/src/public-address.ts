// SPDX-License-Identifier: Apache-2.0
import ipaddr from 'ipaddr.js';

/** Where global unicast addresses of IPv6 are (RFC 4291 §2.4, IANA): whatever lies elsewhere, known by name or not, is for special purposes. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Answers whether an address is one of the public Internet's, however it is written: not of this machine, its networks, a cloud's metadata, or one
 * that leads there by translation or tunnel (IPv4-mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address in the clothes of IPv6 is what it is.
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST);
}
