// SPDX-License-Identifier: Apache-2.0
// The console at `/console`. Everything that it shows comes from the API, with the rights of whoever is signed in.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listFiles, type ListedFiles } from '../../edge/static-files/listed-files.ts';
import { pathBelow, sendFile } from '../../edge/static-files/send-file.ts';
import { withRoutes, type Preparable } from '../../edge/static-files/with-routes.ts';
import { CONSOLE_HEADERS } from './console-headers.ts';

/** Where the image and the build put the console, relative to the bundled file of the service. */
const FOLDERS = ['../../console/', '../../../apps/console/dist/web/'];

const ROOT = '/console/';
const START = 'index.html';
const NOT_BUILT = 'The console is not built. Run `npm run build`, then start the service again.\n';
/**
 * What the last part of a path ends with where a file is meant, and not a place in the console: places have names in
 * them, such as `sandbox.exec`.
 */
const FILE =
  /\.(?:avif|br|css|gif|gz|html?|ico|jpe?g|js|json|map|mjs|pdf|png|svg|txt|wasm|webmanifest|webp|woff2?|xml)$/i;

/** Extends a server so that it also serves the console. @param isEnabled else `/console` is nothing */
export const withConsole = <T extends Preparable>(server: T, isEnabled: boolean, folder = folderOf()): T =>
  isEnabled ? withRoutes(server, (fastify) => serveConsole(fastify, listFiles(folder))) : server;

function folderOf(): string {
  const [image = '', ...others] = FOLDERS.map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
  return [image, ...others].find((folder) => existsSync(folder)) ?? image;
}

/** Serves the files at `/console/`. Without files, each path says that the console isn't built. */
export function serveConsole(fastify: FastifyInstance, files: ListedFiles): void {
  fastify.get('/console', (_request, reply) => reply.redirect(ROOT));
  fastify.get(`${ROOT}*`, (request, reply) => answer(files, request, reply));
}

async function answer(files: ListedFiles, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const start = files.get(START);
  if (start === undefined) return reply.code(404).type('text/plain; charset=utf-8').send(NOT_BUILT);
  const path = pathBelow(ROOT, request.url);
  const file = path === undefined ? undefined : (files.get(path) ?? (isPlace(path) ? start : undefined));
  if (file === undefined) return reply.callNotFound() as unknown as FastifyReply;
  return await sendFile(request, reply, file, { status: 200, headers: CONSOLE_HEADERS });
}

/** Whether a path, which is attacker-controlled, may be a place in the console, which the console itself finds. */
function isPlace(path: string): boolean {
  const parts = path.split('/');
  // No place has these, which only tries to leave the folder have.
  if (/[\\\p{Cc}]/u.test(path) || parts.some((part) => part === '.' || part === '..')) return false;
  return parts[0] !== 'assets' && !FILE.test(parts.at(-1) ?? '');
}
