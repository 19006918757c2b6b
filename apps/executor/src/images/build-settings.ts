// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { Fault, parseMessage } from '@writ/contract';
import { parseJson } from '@writ/digest';
import type { PackageRegistries } from '@writ/sandbox/images';
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;
const Url = Type.String({ pattern: '^https?://[a-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?$' });
const Word = Type.String({ pattern: '^[a-z0-9][a-z0-9./-]*$' });

/** The package registries that recipes are built from: one document, which the executor reads at its start. */
const BuildSettings = Type.Object(
  {
    v: Type.Literal(1),
    debian: Type.Optional(
      Type.Object(
        { url: Url, suites: Type.Array(Word, { minItems: 1 }), components: Type.Array(Word, { minItems: 1 }) },
        closed,
      ),
    ),
    npm: Type.Optional(Type.Object({ url: Url }, closed)),
    pip: Type.Optional(Type.Object({ url: Url }, closed)),
    hosts: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z0-9.-]+$' }), { maxItems: 32 })),
    ca_file: Type.Optional(Type.String({ minLength: 1 })),
  },
  closed,
);
type BuildSettings = Static<typeof BuildSettings>;

export interface Builds {
  readonly registries: PackageRegistries;
  /** PEM of the registries' certificates; null: those of the image */
  readonly ca: string | null;
}

/** The hosts that the operator configured. */
export const registryHosts = ({ debian, npm, pip, hosts = [] }: PackageRegistries): string[] => [
  ...[debian, npm, pip].flatMap((registry) => (registry === undefined ? [] : [new URL(registry.url).hostname])),
  ...hosts,
];

/**
 * Reads the registries of recipes; none without a path: then no recipe is built.
 * @throws Error that names the variable and the problem of its file
 */
export function readBuilds(variable: string, path: string | undefined): Builds {
  if (path === undefined) return { registries: {}, ca: null };
  let read: BuildSettings;
  try {
    read = parseMessage(BuildSettings, parseJson(readFileSync(path, 'utf8')));
  } catch (error) {
    const why = error instanceof Fault || error instanceof SyntaxError ? error.message : 'it cannot be read';
    throw new Error(`the file of \`${variable}\` is no list of registries: ${why}`, { cause: error });
  }
  const { v: _v, ca_file, ...registries } = read;
  return { registries, ca: ca_file === undefined ? null : readFileSync(ca_file, 'utf8') };
}
