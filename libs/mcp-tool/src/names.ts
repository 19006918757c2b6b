// SPDX-License-Identifier: Apache-2.0
import { sha256Hex, utf8Bytes } from '@writ/digest';
import { isServerRequest, SERVER_REQUEST_NAMES, type McpServerRequest } from './server-requests.ts';

/** The longest last part of a tool's id: what dialects allow for a whole name. */
const NAME_CHARS_MAX = 64;
const SUFFIX_CHARS = 8;

/** The id of a tool of a server. */
export const mcpToolId = (server: string, localName: string): string => `mcp.${server}.${localName}`;

/**
 * The names that tools of a server have here, by their names there. A tool that has a name already keeps it, so an id
 * never comes to mean another tool. Characters that no id has become `_`; where that makes a name that another tool
 * has, or one that is too long, the name ends in the beginning of a digest of the original. INVARIANT (requests first):
 * a request of MCP has the name of `requestName`, which no tool gets, or it has none, where a tool has that name
 * already. Total and pure: the order of the names doesn't count.
 */
export function localNames(
  remoteNames: readonly string[],
  assigned: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const names = new Map(assigned);
  const isAssigned = new Set(assigned.values());
  const taken = new Set([...isAssigned, ...SERVER_REQUEST_NAMES.map(requestName)]);
  const assign = (remote: string, local: string): void => {
    names.set(remote, local);
    taken.add(local);
  };
  const fresh = [...new Set(remoteNames)].filter((remote) => !names.has(remote)).sort();
  const tools = fresh.filter((remote) => !isServerRequest(remote));
  for (const remote of fresh) {
    const plain = plainName(remote);
    if (isServerRequest(remote) && !isAssigned.has(plain)) assign(remote, plain);
  }
  // A name that needs no change has the better claim to it.
  for (const remote of tools) if (plainName(remote) === remote && !taken.has(remote)) assign(remote, remote);
  for (const remote of tools) {
    if (names.has(remote)) continue;
    const plain = plainName(remote);
    assign(remote, plain.length > NAME_CHARS_MAX || taken.has(plain) ? suffixed(remote, taken) : plain);
  }
  return names;
}

/** The name with characters of ids alone. One that is too long is not cut, so it differs from every name that fits. */
const plainName = (remote: string): string => {
  const plain = remote.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
  return plain.length > NAME_CHARS_MAX ? `${plain} ` : plain;
};

/** The name of a request of MCP, the same at every server. Rules of a policy name it. */
export const requestName = (request: McpServerRequest): string => plainName(request);

/** Characters of the name that an unlisted tool keeps, so that a reader recognises it and the whole id fits. */
const UNLISTED_CHARS = 24;

/**
 * The last part of an id for a name that the server never listed. INVARIANT (unlisted means no tool): it is longer than
 * any name that a tool can have, so it never becomes the id of one, whatever the server lists later.
 */
export const unlistedName = (remote: string): string =>
  `${plainName(remote).trimEnd().slice(0, UNLISTED_CHARS)}_${sha256Hex(utf8Bytes(remote.toWellFormed()))}`;

function suffixed(remote: string, taken: ReadonlySet<string>): string {
  const digest = sha256Hex(utf8Bytes(remote.toWellFormed()));
  const stem = plainName(remote)
    .trimEnd()
    .slice(0, NAME_CHARS_MAX - SUFFIX_CHARS - 1);
  for (let from = 0; from + SUFFIX_CHARS <= digest.length; from += SUFFIX_CHARS) {
    const name = `${stem}_${digest.slice(from, from + SUFFIX_CHARS)}`;
    if (!taken.has(name)) return name;
  }
  throw new Error(`every name for the tool \`${remote}\` is taken`);
}
