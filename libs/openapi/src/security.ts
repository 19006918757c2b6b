// SPDX-License-Identifier: Apache-2.0
import type { HttpCredential } from '@writ/contract';
import { isHeaderForApi } from '@writ/http-tool';
import { attempt, Unusable } from './problems.ts';
import { isObject, type Json } from './read-document.ts';
import { entriesOf, memberOf, membersOf, resolved, type Located } from './references.ts';

const SECRET_NAME = /^[A-Z_][A-Z0-9_]{0,63}$/;

/**
 * The credentials of an operation, by the first of its alternatives of which a secret is named for each scheme; none
 * for an operation that asks for none. @throws Unusable where no alternative can be had
 */
export function credentialsOf(
  root: Json,
  operation: Located<Json>,
  secrets: Readonly<Record<string, string>>,
): HttpCredential[] {
  const own = memberOf(operation, 'security');
  const wanted = own.value === undefined ? memberOf({ value: root, pointer: '' }, 'security') : own;
  const alternatives = entriesOf(wanted);
  if (alternatives.length === 0) return [];
  const problems: string[] = [];
  // An alternative with credentials comes before one without.
  const inOrder = [...alternatives].sort((a, b) => Number(isEmpty(a.value)) - Number(isEmpty(b.value)));
  for (const alternative of inOrder) {
    const read = attempt(() =>
      membersOf(alternative).map(([scheme]) => credentialOf(root, scheme, secrets, alternative.pointer)),
    );
    if ('value' in read) return read.value;
    problems.push(read.problem.message);
  }
  throw new Unusable(
    wanted.pointer,
    `asks for credentials that aren't named: ${[...new Set(problems)].join('; ')}`.slice(0, 1_000),
    'name a secret of the tenant for a scheme: `--secret SCHEME=NAME`',
  );
}

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

function credentialOf(
  root: Json,
  name: string,
  secrets: Readonly<Record<string, string>>,
  pointer: string,
): HttpCredential {
  const schemes = memberOf({ value: root, pointer: '' }, 'components');
  const declared = memberOf(memberOf(schemes, 'securitySchemes'), name);
  if (declared.value === undefined)
    throw new Unusable(pointer, `\`${name.slice(0, 64)}\` is no scheme of the document`);
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (secret === undefined) throw new Unusable(pointer, `no secret is named for \`${name.slice(0, 64)}\``);
  if (!SECRET_NAME.test(secret))
    throw new Unusable(pointer, `\`${secret.slice(0, 64)}\` is no name of a secret: capital letters, digits and \`_\``);
  return { ...placeOf(resolved(root, declared).value, name, pointer), secret };
}

function placeOf(scheme: Json, name: string, pointer: string): Omit<HttpCredential, 'secret'> {
  const { type, in: place, name: key, scheme: kind } = scheme;
  const inHeader = (prefix: string) => ({ in: 'header', name: 'authorization', prefix }) as const;
  if (type === 'oauth2' || type === 'openIdConnect') return inHeader('Bearer ');
  if (type === 'http' && typeof kind === 'string') {
    if (kind.toLowerCase() === 'bearer') return inHeader('Bearer ');
    // The secret is the encoded pair: nothing here could encode it.
    if (kind.toLowerCase() === 'basic') return inHeader('Basic ');
  }
  if (type === 'apiKey' && typeof key === 'string' && key !== '' && key.length <= 128) {
    if (place === 'query') return { in: 'query', name: key, prefix: '' };
    if (place === 'header' && isHeaderForApi(key, true)) return { in: 'header', name: key.toLowerCase(), prefix: '' };
  }
  throw new Unusable(
    pointer,
    `the scheme \`${name.slice(0, 64)}\` can't be had: API keys in a header or the query, bearer, basic, OAuth 2 and OpenID Connect can`,
  );
}
