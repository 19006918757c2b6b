// SPDX-License-Identifier: Apache-2.0
// The documentation site at `/docs`.
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listFiles, type ListedFiles } from '../../edge/static-files/listed-files.ts';
import { withRoutes, type Preparable } from '../../edge/static-files/with-routes.ts';
import { pathBelow, sendFile } from '../../edge/static-files/send-file.ts';

/** Where the build and the image put the site, relative to the bundled file of the service. */
const FOLDER = fileURLToPath(new URL('../../docs/', import.meta.url));

const ROOT = '/docs/';
/** The pages of the API's document, which are served beside the site. */
const API_PAGES = '/docs/api';

/**
 * The pages have no inline scripts and fetch nothing from other hosts. Code colours and widths are attributes, so
 * styles in attributes are allowed, and style elements are not.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Extends a server so that it also serves the site. */
export const withSite = <T extends Preparable>(server: T, folder = FOLDER): T =>
  withRoutes(server, (fastify) => serveSite(fastify, listFiles(folder)));

/** Serves the files at `/docs`. Without files, `/docs` redirects to the pages of the API. */
export function serveSite(fastify: FastifyInstance, files: ListedFiles): void {
  const start = files.has('index.html') ? ROOT : API_PAGES;
  fastify.get('/docs', (_request, reply) => reply.redirect(start));
  if (files.size === 0) {
    fastify.get(ROOT, (_request, reply) => reply.redirect(start));
    return;
  }
  fastify.get(`${ROOT}*`, (request, reply) => answer(files, request, reply));
}

async function answer(files: ListedFiles, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const sitePath = pathBelow(ROOT, request.url);
  const found = sitePath === undefined ? undefined : files.get(sitePath.replace(/(^|\/)$/, '$1index.html'));
  if (found === undefined && files.has(`${sitePath}/index.html`)) return reply.redirect(`${ROOT}${sitePath}/`);
  const file = found ?? files.get('404.html');
  if (file === undefined) return reply.callNotFound() as unknown as FastifyReply;
  const headers = { 'content-security-policy': CONTENT_SECURITY_POLICY };
  return await sendFile(request, reply, file, { status: found === undefined ? 404 : 200, headers });
}
