// SPDX-License-Identifier: Apache-2.0
export { decideEgress, isSafeMethod, TUNNEL } from './decide-egress.ts';
export { isCanonicalHost } from './host.ts';
export { isPublicAddress } from './public-address.ts';
export { redirectOf } from './redirect.ts';
export { parseRequestHead, type ForwardedHead, type RequestHead } from './request-head.ts';
export {
  parseAuthority,
  parseUrl,
  PORTS,
  TargetError,
  URL_CHARS_MAX,
  urlOf,
  type EgressScheme,
  type EgressTarget,
} from './target.ts';
