// SPDX-License-Identifier: Apache-2.0
import ipaddr from 'ipaddr.js';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/**
 * A label that some readers take for a number, and so the whole host for an IPv4 address in a short, octal or
 * hexadecimal form (WHATWG URL, ends-in-a-number).
 */
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/;
/** RFC 1035 §2.3.4. */
const HOST_CHARS_MAX = 253;

/**
 * Answers whether a text is a host in its canonical form: a domain name of lower-case labels, an internationalised one
 * in its `xn--` form, or an IPv4 address of four decimal parts. Without a trailing dot, which some readers strip and
 * some don't, and without a number that some readers take for an address.
 */
export function isCanonicalHost(text: string): boolean {
  const labels = text.split('.');
  if (text.length > HOST_CHARS_MAX || !labels.every((label) => LABEL.test(label))) return false;
  return NUMBER.test(labels.at(-1) ?? '')
    ? ipaddr.IPv4.isValidFourPartDecimal(text) && ipaddr.IPv4.parse(text).toString() === text
    : true;
}
