// SPDX-License-Identifier: Apache-2.0
//
// Requirements on the texts of variables that a pattern can't express. Each text is parsed in the same way as by its
// user, while the configuration is read, so that a wrong one is reported before anything is opened.
import { BlockList, isIP } from 'node:net';
import { Type, type TSchema } from 'typebox';
import { EnvironmentError } from './read-environment.ts';

/**
 * A schema for a text that `read` must be able to parse; an error of `read` is reported with the variable. `read` MUST
 * NOT repeat a text that may hold a password.
 */
export function ReadBy<T extends TSchema>(schema: T, read: (text: string) => unknown): T {
  const problemOf = (text: unknown): string | null => {
    try {
      read(String(text));
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return Type.Refine(
    schema,
    (text) => problemOf(text) === null,
    (text) => problemOf(text) ?? '',
  ) as T;
}

/**
 * Returns the result of `read`. An error names the variable, in one line.
 * @throws EnvironmentError
 */
export function named<T>(variable: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof EnvironmentError) throw error;
    const { message, cause } = error as Error;
    throw new EnvironmentError([message.includes(variable) ? message : `${variable} is wrong: ${message}`], { cause });
  }
}

/**
 * Parses a URL with a host. The error doesn't repeat the text, which may hold a password.
 * @throws Error
 */
export function urlWithHost(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new Error('it is no URL; characters of a password may need percent-encoding');
  if (url.hostname === '') throw new Error('it names no host');
  return url;
}

/**
 * Checks the addresses of NATS, separated by commas.
 * @throws Error
 */
export function natsUrls(text: string): void {
  for (const server of text.split(',')) {
    const { protocol } = urlWithHost(server.trim());
    if (protocol !== 'nats:' && protocol !== 'tls:') throw new Error('one of the addresses begins with another scheme');
  }
}

/** The address of Postgres: a host, or the parameter `host` with the folder of a socket. */
export const DatabaseUrl = (role: string): ReturnType<typeof Type.String> =>
  ReadBy(
    Type.String({
      pattern: '^postgres(ql)?://',
      secret: true,
      description: `the address of Postgres with the role ${role}: \`postgres://user:password@host:port/database\``,
    }),
    (text) => {
      if (URL.parse(text)?.searchParams.has('host') !== true) urlWithHost(text);
    },
  );

/**
 * Checks an address to listen on, or a name of one.
 * @throws Error
 */
export function listenHost(text: string): void {
  if (isIP(text) === 0 && !/^(?=.*[A-Za-z])[A-Za-z0-9._-]+$/.test(text))
    throw new Error(`\`${text}\` is neither an address nor a name of one (a port has a variable of its own)`);
}

/** Names that Fastify's `trustProxy` accepts for blocks of addresses. */
const NAMED_BLOCKS: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/**
 * Checks addresses and CIDR blocks, separated by commas; an empty text has none.
 * @throws Error that names the wrong one
 */
export function addressBlocks(text: string): void {
  if (text === '') return;
  for (const entry of text.split(',').map((each) => each.trim())) {
    if (!NAMED_BLOCKS.has(entry) && !isBlock(entry))
      throw new Error(`\`${entry}\` is neither an address nor a CIDR block, such as 10.0.0.0/8`);
  }
}

function isBlock(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || more.length > 0) return false;
  if (bits === undefined) return true;
  if (!/^[1-9]\d{0,2}$/.test(bits)) return false;
  try {
    new BlockList().addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
    return true;
  } catch {
    return false;
  }
}
