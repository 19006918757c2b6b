// SPDX-License-Identifier: Apache-2.0
//
// Addresses of resources in calls of `resources/read` and `completion/complete`. Rules of a policy compare their text,
// and a server reads them as URLs. INVARIANT (one spelling): of the texts that a URL parser takes for one address, one
// is accepted, so a rule that names it can't be evaded by another spelling.
import type { SchemaFault } from '@writ/json-schema';
import type { McpServerRequest } from './server-requests.ts';

/** What RFC 3986 allows in a URI after its scheme: its characters, and escapes. */
const CHARACTERS = /^(?:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:/;
/**
 * An escape in small letters, or one of a letter, a digit or `-._~`: RFC 3986, section 6.2.2, writes these otherwise.
 * Or one of a control, which a server may drop.
 */
const OTHER_ESCAPE = /%(?:[0-9A-F]?[a-f]|[01][0-9A-F]|2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AEF])/;
/** What separates segments, also for a server that unescapes an address before it reads it. */
const SEPARATOR = /\/|%2F|%5C/;
/** An expression of a template (RFC 6570). */
const EXPRESSION = /\{[+#./;?&=,!@|]?[A-Za-z0-9_.,:*%]+\}/g;

/** Why the text is no accepted spelling of an address; null if it is one. Total and pure. */
export function uriProblem(uri: string): string | null {
  return textProblem(uri) ?? (isWrittenByUrl(uri) ? null : OTHER_URL);
}

/**
 * Why the text is no accepted spelling of an address or of a template of addresses; null if it is one. A server
 * compares the text of a template, so no parser changes it. Total and pure.
 */
export function templateProblem(template: string): string | null {
  if (!template.includes('{')) return uriProblem(template);
  // A scheme may be an expression, too.
  return textProblem(template.replace(/^\{/, 'x:{').replaceAll(EXPRESSION, 'x'));
}

const OTHER_URL =
  'must be written as a parser of URLs writes it, with a host in the form of its scheme, no default port, and a path';

function textProblem(uri: string): string | null {
  if (!SCHEME.test(uri)) return 'must begin with a scheme in lower case, such as `https:`';
  if (!CHARACTERS.test(uri)) return 'must have only characters of RFC 3986, and others as escapes, such as `%20`';
  if (OTHER_ESCAPE.test(uri))
    return 'must have escapes in capitals, such as `%2F`, and none of a control, a letter, a digit or `-._~`';
  const [path = ''] = uri.replace(SCHEME, '').split(/[?#]/, 1);
  if (path.split(SEPARATOR).some((segment) => segment === '.' || segment === '..'))
    return 'must have no segment `.` or `..`, also between escaped slashes';
  return /\?(?:#|$)|#$/.test(uri) ? 'must have no empty query and no empty fragment' : null;
}

const isWrittenByUrl = (uri: string): boolean => URL.canParse(uri) && new URL(uri).href === uri;

type Json = Readonly<Record<string, unknown>>;

/**
 * The problems of the addresses in the arguments of a request.
 * @param args that fit the schema of the request
 */
export function addressFaults(request: McpServerRequest, args: Json): readonly SchemaFault[] {
  if (request === 'resources/read') return faultAt('/uri', uriProblem(String(args['uri'])));
  if (request !== 'completion/complete') return [];
  const { uri } = args['ref'] as Json;
  return typeof uri === 'string' ? faultAt('/ref/uri', templateProblem(uri)) : [];
}

const faultAt = (pointer: string, message: string | null): readonly SchemaFault[] =>
  message === null ? [] : [{ pointer, message }];
