// SPDX-License-Identifier: Apache-2.0
export { decideEgress, decideResolution, describeTarget, isSafeMethod, parseTarget } from './decide-egress.ts';
export { isCanonicalHost } from './host.ts';
export { isPrivateEndpoint, parsePrivateEndpoints, type PrivateEndpoint } from './private-endpoints.ts';
export { isPublicAddress } from './public-address.ts';
export { redirectOf } from './redirect.ts';
export { parseRequestHead, type ForwardedHead, type RequestHead } from './request-head.ts';
export {
  authorityOf,
  hasUsualPort,
  parseAuthority,
  parseRaw,
  parseUrl,
  PORTS,
  TargetError,
  URL_CHARS_MAX,
  urlOf,
  type EgressScheme,
  type EgressTarget,
} from './target.ts';
