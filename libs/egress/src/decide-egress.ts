// SPDX-License-Identifier: Apache-2.0
import type { Grant, Verdict } from '@writ/contract';
import { reaches } from '@writ/capability';
import { urlOf, type EgressTarget } from './target.ts';

/** What a tunnel is called in a grant: what goes through it is not seen, so no other method stands for it. */
export const TUNNEL = 'CONNECT';

/** Methods that ask a server to change nothing (RFC 9110 §9.2.1): a request with one may be lost or sent twice. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
export const isSafeMethod = (method: string): boolean => SAFE.has(method);

/**
 * Decides whether a request may go where it wants under the net grants of every token of a chain: each of them must
 * name the host and the method. No token, or none with a grant, reaches nothing. The address that the host turns out to
 * have is another question: see `isPublicAddress`.
 */
export function decideEgress(chain: readonly Grant['net'][], method: string, target: EgressTarget): Verdict {
  if (chain.length > 0 && chain.every((net) => reaches(net, target.host, method))) return { effect: 'allow' };
  const what =
    method === TUNNEL ? `\`CONNECT\` to \`${target.host}\`` : `\`${method}\` of \`${urlOf(target).slice(0, 200)}\``;
  return {
    effect: 'refuse',
    code: 'token.scope',
    message: `the capability token does not let ${what} out`,
    hint:
      method === TUNNEL
        ? 'a token that grants `CONNECT` for the domain would do: what goes through a tunnel is not seen'
        : 'a token that grants the method for the domain would do',
  };
}
