// SPDX-License-Identifier: Apache-2.0
// Sends browsers to the host of the public URL, where it is one name of this machine and the person typed another one,
// such as `localhost`. A browser keeps the cookie of a session for one host, and forms count from one origin.
import type { FastifyInstance } from 'fastify';
import { isLoopback } from '../access/oauth/urls.ts';

/** What people open. Programs use any name: their keys belong to no host. */
const PLACE = /^\/(?:console|sign-in)(?:[/?]|$)/;
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** INVARIANT (our own host alone): a redirection leads to the origin of the public URL, whatever the request says. */
export function redirectAliases(fastify: FastifyInstance, publicUrl: string | undefined): void {
  const own = publicUrl === undefined ? null : new URL(publicUrl);
  // Behind a path, a proxy decides about hosts.
  if (own === null || own.protocol !== 'http:' || own.pathname !== '/') return;
  fastify.addHook('onRequest', ({ method, url, headers }, reply, done) => {
    if (SAFE.has(method) && PLACE.test(url) && isAlias(headers.host, own)) void reply.redirect(`${own.origin}${url}`);
    else done();
  });
}

/** @param host the header, which is attacker-controlled */
function isAlias(host: string | undefined, own: URL): boolean {
  const asked = URL.parse(`http://${host ?? ''}`);
  return asked !== null && asked.port === own.port && asked.hostname !== own.hostname && isLoopback(asked.hostname);
}
