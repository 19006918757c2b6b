// SPDX-License-Identifier: Apache-2.0
import { isPlainPath } from '@writ/http-tool';
import { parseUrl, TargetError } from '@writ/egress';
import { attempt, Unusable } from './problems.ts';
import { isObject, type Json } from './read-document.ts';
import { entriesOf, memberOf, type Located } from './references.ts';

/** How the importer chooses the server. */
export interface ServerChoice {
  /** the address of the server; absent: the one that the document names */
  readonly server?: string;
  /** values of variables in addresses, by name */
  readonly variables: Readonly<Record<string, string>>;
}

/** The one server of the tools. @throws Unusable */
export function chosenServer(root: Json, { server, variables }: ServerChoice): string {
  if (server !== undefined) return plainServer(server, '/options/server', 'options');
  const listed = memberOf({ value: root, pointer: '' }, 'servers');
  const addresses = [...new Set(entriesOf(listed).map((one) => filled(one, variables)))];
  const [first] = addresses;
  if (first === undefined || addresses.length > 1)
    throw new Unusable(
      '/servers',
      first === undefined
        ? 'the document names no server'
        : `the document names ${addresses.length} servers: ${addresses.map((one) => `\`${one.slice(0, 128)}\``).join(', ')}`.slice(
            0,
            1_000,
          ),
      'choose one with `--server`',
    );
  return plainServer(first, '/servers/0');
}

/**
 * The server of an operation: the chosen one, unless the operation or its path names servers of its own.
 * @throws Unusable where those have another origin
 */
export function serverOf(chosen: string, own: readonly Located[], variables: ServerChoice['variables']): string {
  const listed = own.find(({ value }) => value !== undefined);
  if (listed === undefined) return chosen;
  const { origin } = new URL(chosen);
  for (const one of entriesOf(listed)) {
    const read = attempt(() => plainServer(filled(one, variables), one.pointer));
    if ('value' in read && new URL(read.value).origin === origin) return read.value;
  }
  throw new Unusable(
    listed.pointer,
    `is served by another server than \`${origin}\``,
    'import it under a name of its own',
  );
}

/** The address of a server with its variables filled. @throws Unusable */
function filled({ value, pointer }: Located, given: ServerChoice['variables']): string {
  if (!isObject(value) || typeof value['url'] !== 'string') throw new Unusable(pointer, 'is no server');
  const variables = memberOf({ value, pointer }, 'variables');
  return value['url'].replaceAll(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const variable = memberOf(variables, name);
    const { default: byDefault, enum: choices } = isObject(variable.value) ? variable.value : {};
    const chosen = Object.hasOwn(given, name) ? given[name] : byDefault;
    if (typeof chosen !== 'string')
      throw new Unusable(
        variable.pointer,
        `the variable \`${name}\` of the server has no value`,
        `give one with \`--server-variable ${name}=…\``,
      );
    if (Array.isArray(choices) && !choices.includes(chosen))
      throw new Unusable(variable.pointer, `\`${chosen}\` is no value of the variable \`${name}\` of the server`);
    return chosen;
  });
}

/** An address over TLS with a plain path, without the last `/`. @throws Unusable */
function plainServer(written: string, pointer: string, of: 'document' | 'options' = 'document'): string {
  const wrong = (why: string): Unusable =>
    new Unusable(pointer, `the server \`${written.slice(0, 128)}\` ${why}`, 'choose one with `--server https://…`', of);
  const trimmed = written.replace(/\/+$/, '');
  if (!trimmed.startsWith('https://')) throw wrong('is no address that begins with `https://`');
  try {
    const { path } = parseUrl(trimmed);
    if (path !== '/' && !isPlainPath(path)) throw wrong('has more than a plain path');
    if (trimmed.length > 512) throw wrong('is longer than 512 characters');
    return trimmed;
  } catch (error) {
    if (error instanceof TargetError) throw wrong(`can't be reached: ${error.message}`);
    throw error;
  }
}
