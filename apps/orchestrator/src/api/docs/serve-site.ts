// SPDX-License-Identifier: Apache-2.0 The documentation site at `/docs`.
//
// INVARIANT (listed): only a file that was listed when the process started is read. The path of a request is looked up
// in that list and never joined to a folder, so no path escapes the site.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listSiteFiles, type SiteFile, type SiteFiles } from './site-files.ts';

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

/** A file with a hash in its name never changes. A year, in seconds, is the usual maximum of cache lifetimes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The part of a server that is called before it listens. */
interface Preparable {
  readonly prepare?: (app: INestApplication) => void | Promise<void>;
}

/** Extends a server so that it also serves the site. */
export function withSite<T extends Preparable>(server: T, folder = FOLDER): T {
  const prepare = async (app: INestApplication): Promise<void> => {
    await server.prepare?.(app);
    serveSite(app.getHttpAdapter().getInstance() as FastifyInstance, listSiteFiles(folder));
  };
  return { ...server, prepare };
}

/** Serves the files at `/docs`. Without files, `/docs` redirects to the pages of the API. */
export function serveSite(fastify: FastifyInstance, files: SiteFiles): void {
  const start = files.has('index.html') ? ROOT : API_PAGES;
  fastify.get('/docs', (_request, reply) => reply.redirect(start));
  if (files.size === 0) {
    fastify.get(ROOT, (_request, reply) => reply.redirect(start));
    return;
  }
  fastify.get(`${ROOT}*`, (request, reply) => answer(files, request, reply));
}

async function answer(files: SiteFiles, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const sitePath = sitePathOf(request.url);
  const found = sitePath === undefined ? undefined : files.get(sitePath.replace(/(^|\/)$/, '$1index.html'));
  if (found === undefined && files.has(`${sitePath}/index.html`)) return reply.redirect(`${ROOT}${sitePath}/`);
  if (found !== undefined && request.headers['if-none-match'] === found.tag)
    return reply.header('etag', found.tag).code(304).send();
  const file = found ?? files.get('404.html');
  const content = file === undefined ? undefined : await contentOf(file);
  if (file === undefined || content === undefined) return reply.callNotFound() as unknown as FastifyReply;
  void reply.headers({
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'content-type': file.type,
    'cache-control': file.isHashed ? IMMUTABLE : 'no-cache',
    etag: file.tag,
  });
  return reply.code(found === undefined ? 404 : 200).send(content);
}

/** The path below the site's root, which is attacker-controlled. Undefined where it isn't valid percent-encoding. */
function sitePathOf(url: string): string | undefined {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path.slice(ROOT.length));
  } catch {
    return undefined;
  }
}

/** The content of a file. Undefined where it no longer exists, because a new build has replaced the site. */
const contentOf = (file: SiteFile): Promise<Buffer | undefined> => readFile(file.path).catch(() => undefined);
