// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';

/** RFC 5321, section 4.5.3.1.3: a path of 256 characters with its angle brackets. */
export const MAIL_ADDRESS_CHARS_MAX = 254;

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

/**
 * A mail address without a name: the dot-atom form of RFC 5322, section 3.4.1, with the name of a host. Letters beyond
 * ASCII are refused, since two addresses that look the same to a person would be different ones. A domain with such
 * letters is written in its form with `xn--`. `=?` is refused, since it begins an encoded word (RFC 2047).
 */
export const MailAddress = Type.String({
  pattern: `^(?!.*=\\?)${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$`,
  maxLength: MAIL_ADDRESS_CHARS_MAX,
  description: 'an address without a name, in ASCII: `name@example.org`',
});
