// SPDX-License-Identifier: Apache-2.0
/** The text is no valid environment. Nothing runs then. */
export class EnvironmentError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EnvironmentError';
  }
}

const RESERVED: ReadonlySet<string> = new Set(['WORKSPACE', 'CWD', 'USER', 'PREV', 'ITEM', 'INDEX']);
/** As much as a person can read through, and as a message between processes can hold. */
export const ENVIRONMENT_BYTES_MAX = 64 * 1024;

/**
 * Variables, by names in upper case, from lines `KEY=VALUE`; lines that begin with `#` and empty ones are ignored.
 * @throws EnvironmentError
 */
export function parseEnvironment(text: string): ReadonlyMap<string, string> {
  if (Buffer.byteLength(text, 'utf8') > ENVIRONMENT_BYTES_MAX)
    throw new EnvironmentError(`the environment has more than ${ENVIRONMENT_BYTES_MAX} bytes`);
  const variables = new Map<string, string>();
  for (const [n, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const [, key, value = ''] = /^\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*=(.*)$/.exec(line) ?? [];
    if (key === undefined) throw new EnvironmentError(`line ${n + 1} of the environment is no \`KEY=VALUE\``);
    const name = key.toUpperCase();
    if (RESERVED.has(name) || variables.has(name))
      throw new EnvironmentError(
        `line ${n + 1} of the environment sets \`${name}\`, which ${RESERVED.has(name) ? 'has a meaning of its own' : 'is set already'}`,
      );
    variables.set(name, value.trim());
  }
  return variables;
}
