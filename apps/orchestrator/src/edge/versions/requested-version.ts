// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_VERSIONS, isApiVersion, NEWEST, versionHeaders } from './versions.ts';

/** The header that names a version, in requests and in answers. */
const HEADER = 'writ-version';
/** Longest version in an answer: it is the caller's. */
const SHOWN_MAX = 32;

/** The version that a request asks for; the newest without the header, and for a version that isn't served. */
export function versionOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const given = headers[HEADER];
  return typeof given === 'string' && isApiVersion(given) ? given : NEWEST;
}

/** Shows in the answer which version it is of. @throws Fault `version.unsupported` for one that isn't served */
export function applyVersion(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers(versionHeaders(versionOf(request)));
  const given = request.headers[HEADER];
  if (given === undefined || (typeof given === 'string' && isApiVersion(given))) return;
  const dates = API_VERSIONS.map(({ date }) => `\`${date}\``).join(', ');
  throw new Fault(
    'version.unsupported',
    `the API has no version \`${String(given).slice(0, SHOWN_MAX)}\`; \`Writ-Version\` is one of ${dates}, or absent for the newest`,
  );
}
