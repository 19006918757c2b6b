// SPDX-License-Identifier: Apache-2.0
// The headers of the console's files. A spec pins them: each is a bound on what a mistake in the console can do.

/** The names by which the console may make values of the types that DOM sinks of scripts take; none: `'none'`. */
export const TRUSTED_TYPES: readonly string[] = [];

/** The hash of the only style element: React Aria inserts it, with the same text each time. */
const REACT_ARIA_STYLE = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='";

/**
 * Scripts and styles come from this origin's files alone. Styles that scripts set through the CSSOM are not restricted;
 * style attributes in markup are, and the console has none.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${REACT_ARIA_STYLE}`,
  "style-src-attr 'none'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  `trusted-types ${TRUSTED_TYPES.length === 0 ? "'none'" : TRUSTED_TYPES.join(' ')}`,
].join('; ');

/** What browsers offer to pages, and the console doesn't use. */
const TURNED_OFF = [
  'accelerometer',
  'autoplay',
  'bluetooth',
  'browsing-topics',
  'camera',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'hid',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

export const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': TURNED_OFF.map((feature) => `${feature}=()`).join(', '),
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
};
