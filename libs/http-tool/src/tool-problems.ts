// SPDX-License-Identifier: Apache-2.0
//
// What a document of an HTTP tool must be, beyond its schema, so that its requests are what they seem to be. The kernel
// checks each document by this before it stores it, whoever wrote it.
import { problemAt, problemsWithin, type HttpTool, type Problem } from '@writ/contract';
import { parseUrl, TargetError } from '@writ/egress';
import { verifySchema } from '@writ/json-schema';
import { PATH_INPUT } from './path.ts';

/** The longest time of a call, in milliseconds: the gate closes a connection on which nothing passes for so long. */
export const HTTP_TIMEOUT_MS_MAX = 60_000;

/** A name of a header (RFC 9110 §5.1). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~A-Za-z0-9-]+$/;
/** Headers that frame a message, speak of the connection, choose the recipient, or are set by Writ. */
const RESERVED_HEADER =
  /^(?:host|connection|content-length|content-type|content-encoding|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept|accept-encoding|user-agent|cookie|forwarded|proxy-[a-z-]*|x-forwarded-[a-z-]*)$/i;
/** The fixed part of a path: characters of segments (RFC 3986 §3.3), without an encoded slash or dot. */
const PATH = /^(?:\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%(?!2[eEfF]|5[cC])[0-9A-Fa-f]{2})*)+$/;

/** Whether a header may be set from an argument or with a credential. `authorization` is for credentials alone. */
export const isHeaderForApi = (name: string, credential = false): boolean =>
  FIELD_NAME.test(name) && !RESERVED_HEADER.test(name) && (credential || name.toLowerCase() !== 'authorization');

/** Whether a text is the fixed path of an API, its `{name}` aside: every server reads its segments alike. */
export function isPlainPath(path: string): boolean {
  const fixed = path.replaceAll(PATH_INPUT, 'x');
  return PATH.test(fixed) && !fixed.split('/').some((segment) => /^\.{1,2}(?:;.*)?$/.test(segment));
}

/** The problems of a document that has the shape of an HttpTool; empty if it can be stored. Total and pure. */
export function httpToolProblems(tool: Omit<HttpTool, 'version'>): Problem[] {
  return [
    ...serverProblems(tool),
    ...pathProblems(tool),
    ...argumentProblems(tool),
    ...problemsWithin('/parameters', verifySchema(tool.parameters)),
    ...headerProblems(tool),
    ...(tool.timeout_ms > HTTP_TIMEOUT_MS_MAX ? [problemAt('/timeout_ms', `is at most ${HTTP_TIMEOUT_MS_MAX}`)] : []),
  ];
}

type Draft = Omit<HttpTool, 'version'>;

function serverProblems({ server, credentials }: Draft): Problem[] {
  try {
    const { scheme, path } = parseUrl(server);
    const base = path === '/' ? '' : path;
    if (!server.endsWith(base) || server.endsWith('/') || server.includes('?') || (base !== '' && !isPlainPath(base)))
      return [problemAt('/server', 'has more than an origin and a plain path', 'leave out the query and the last `/`')];
    if (scheme !== 'https' && credentials.length > 0)
      return [problemAt('/server', 'is not `https`, and credentials go over TLS alone')];
    return [];
  } catch (error) {
    if (error instanceof TargetError) return [problemAt('/server', error.message)];
    throw error;
  }
}

function pathProblems({ path, inputs }: Draft): Problem[] {
  const named = [...path.matchAll(PATH_INPUT)].map(([, name]) => name);
  const given = inputs.filter((one) => one.in === 'path').map(({ name }) => name);
  if (!isPlainPath(path))
    return [problemAt('/path', 'is no plain path', 'a segment has no `.`, `..`, query or encoded slash')];
  const same = (some: readonly unknown[], others: readonly unknown[]): boolean =>
    some.every((one) => others.includes(one));
  return new Set(given).size === given.length && same(named, given) && same(given, named)
    ? []
    : [problemAt('/inputs', 'has other inputs of the path than the path names')];
}

function argumentProblems({ inputs, body, parameters }: Draft): Problem[] {
  const { type, properties, additionalProperties, required } = parameters;
  const names = [...inputs.map(({ argument }) => argument), ...(body === null ? [] : [body.argument])];
  const declared = Object.keys(typeof properties === 'object' && properties !== null ? properties : {});
  const problems: Problem[] = [];
  if (type !== 'object' || additionalProperties !== false)
    problems.push(problemAt('/parameters', 'is no object with `additionalProperties: false`'));
  if (names.includes('__proto__')) problems.push(problemAt('/inputs', 'has an argument `__proto__`'));
  if (new Set(names).size !== names.length) problems.push(problemAt('/inputs', 'uses an argument twice'));
  for (const name of names)
    if (!declared.includes(name)) problems.push(problemAt('/parameters/properties', `lacks the argument \`${name}\``));
  for (const name of declared)
    if (!names.includes(name)) problems.push(problemAt('/inputs', `has no place for the argument \`${name}\``));
  for (const { argument, in: place, style } of inputs) {
    if (place === 'path' && !(Array.isArray(required) && required.includes(argument)))
      problems.push(problemAt('/parameters/required', `lacks \`${argument}\`, which stands in the path`));
    if ((place === 'query') === (style === 'simple'))
      problems.push(problemAt('/inputs', `\`${argument}\` has the style \`${style}\`, which is none of \`${place}\``));
  }
  return problems;
}

function headerProblems({ inputs, credentials, idempotency_header }: Draft): Problem[] {
  const problems: Problem[] = [];
  const taken = new Set<string>();
  const take = (pointer: string, place: string, name: string, isAllowed: boolean): void => {
    const key = place === 'header' ? `header ${name.toLowerCase()}` : `${place} ${name}`;
    if (taken.has(key)) problems.push(problemAt(pointer, `sets \`${name}\` of the ${place} twice`));
    taken.add(key);
    if (place === 'header' && !isAllowed)
      problems.push(problemAt(pointer, `sets the header \`${name}\`, which is none that a tool may set`));
  };
  inputs.forEach(({ in: place, name }, n) => take(`/inputs/${n}`, place, name, isHeaderForApi(name)));
  credentials.forEach(({ in: place, name }, n) => take(`/credentials/${n}`, place, name, isHeaderForApi(name, true)));
  if (idempotency_header !== null)
    take('/idempotency_header', 'header', idempotency_header, isHeaderForApi(idempotency_header));
  return problems;
}
