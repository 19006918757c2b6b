// SPDX-License-Identifier: Apache-2.0
// Sends static files.
//
// INVARIANT (listed): only a file that was listed when the process started is read. The path of a request is looked up
// in that list and never joined to a folder, so no path escapes the folder.
import { readFile } from 'node:fs/promises';
import { sha256 } from '@writ/digest';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Encoding, ListedFile } from './listed-files.ts';

/** A file with a hash in its name never changes. A year, in seconds, is the usual maximum of cache lifetimes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The parts of an answer that its user decides. */
export interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The path below the root, which is attacker-controlled. Undefined where it isn't valid percent-encoding. */
export function pathBelow(root: string, url: string): string | undefined {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path.slice(root.length));
  } catch {
    return undefined;
  }
}

/** Sends the file in the best encoding that the client accepts; 404 where a new build has removed it. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ListedFile,
  { status, headers }: FileAnswer,
): Promise<FastifyReply> {
  const accepted = acceptedEncodings(request.headers['accept-encoding']);
  const [encoding, path] = [...file.encoded].find(([each]) => accepted(each)) ?? [null, file.path];
  const content = await readFile(path).catch(() => undefined);
  if (content === undefined) return reply.callNotFound() as unknown as FastifyReply;
  const etag = `"${Buffer.from(sha256(content)).toString('base64url')}"`;
  void reply.headers({
    ...headers,
    etag,
    'cache-control': file.isHashed ? IMMUTABLE : 'no-cache',
    ...(file.encoded.size === 0 ? {} : { vary: 'Accept-Encoding' }),
  });
  if (status === 200 && isCached(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding !== null) void reply.header('content-encoding', encoding);
  return reply.code(status).header('content-type', file.type).send(content);
}

/** RFC 9110 §13.1.2: the comparison is weak, since proxies that compress make strong tags weak. */
const isCached = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((each) => [etag, '*'].includes(each.trim().replace(/^W\//, '')));

/** RFC 9110 §12.5.3, without the order of preference of the client: ours is by size. */
function acceptedEncodings(header: string | string[] | undefined): (encoding: Encoding) => boolean {
  const accepted = new Map(
    String(header ?? '')
      .toLowerCase()
      .split(',')
      .map((each): [string, boolean] => {
        const [name = '', ...parameters] = each.split(';').map((part) => part.trim());
        return [name, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))];
      }),
  );
  return (encoding) => accepted.get(encoding) ?? accepted.get('*') ?? false;
}
