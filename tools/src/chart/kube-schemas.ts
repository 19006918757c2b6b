// SPDX-License-Identifier: Apache-2.0
// Strict JSON schemas of Kubernetes' objects, and of others that the chart may render. They are made from files in Go
// modules.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { KUBERNETES_VERSION } from '../go-tools/table.ts';
import { withGoWorkspace, type GoOptions } from '../go-tools/workspace.ts';

type Schema = { [name: string]: unknown };

/** A module whose source has definitions of objects. */
interface Source {
  readonly module: string;
  readonly files: readonly string[];
}

const KUBERNETES: Source = {
  module: `k8s.io/kubernetes@v${KUBERNETES_VERSION}`,
  files: ['api/openapi-spec/swagger.json'],
};

/** Objects of other projects that the chart renders on request, and that its examples and documents show. */
const CUSTOM: readonly Source[] = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    files: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  },
  { module: 'github.com/kedacore/keda/v2@v2.18.0', files: ['config/crd/bases/keda.sh_scaledobjects.yaml'] },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.82.0',
    files: ['podmonitors', 'servicemonitors', 'prometheusrules'].map(
      (kind) => `example/prometheus-operator-crd/monitoring.coreos.com_${kind}.yaml`,
    ),
  },
  {
    module: 'github.com/external-secrets/external-secrets@v1.3.2',
    files: ['config/crds/bases/external-secrets.io_externalsecrets.yaml'],
  },
  { module: 'github.com/kyverno/kyverno@v1.19.1', files: ['config/crds/kyverno/kyverno.io_clusterpolicies.yaml'] },
  { module: 'github.com/sigstore/policy-controller@v0.13.1', files: ['config/300-clusterimagepolicy.yaml'] },
];

/** Incremented when the generator's output changes for the same definitions. */
const FORMAT = 1;

/** Characters that distinguish sets of schemas. */
const KEY_HEX = 12;

const KEY = createHash('sha256')
  .update(JSON.stringify([FORMAT, KUBERNETES, CUSTOM]))
  .digest('hex')
  .slice(0, KEY_HEX);

/** The folder of the finished schemas. */
export const kubeSchemasPath = (cacheDir: string): string => join(cacheDir, `kube-schemas-${KEY}`);

/** Formats for Go's number types, which restrict no text. */
const GO_FORMATS = new Set(['int32', 'int64', 'double', 'float', 'byte', 'date-time', 'int-or-string']);

/** The file with Kubernetes' definitions, beside the schemas that refer to them. */
const DEFINITIONS = '_definitions.json';

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema of Kubernetes' OpenAPI as JSON schema. It allows no unknown names, except where Kubernetes allows any. */
export function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (!isObject(schema)) return schema;
  if (schema['x-kubernetes-int-or-string'] === true || schema['format'] === 'int-or-string')
    return { oneOf: [{ type: 'string' }, { type: 'integer' }] };
  const made: Schema = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strict(value)]));
  const { $ref, format } = made;
  if (typeof $ref === 'string') made['$ref'] = $ref.replace('#/definitions/', `${DEFINITIONS}#/definitions/`);
  if (typeof format === 'string' && GO_FORMATS.has(format)) delete made['format'];
  if (
    isObject(schema['properties']) &&
    typeof schema['type'] !== 'undefined' &&
    schema['additionalProperties'] === undefined &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true
  )
    made['additionalProperties'] = false;
  return made;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The file name that kubeconform looks for: `deployment-apps-v1.json`. */
const fileOf = ({ group, version, kind }: Kind): string =>
  `${[kind.toLowerCase(), ...(group === '' ? [] : [group.split('.')[0]]), version].join('-')}.json`;

/** A whole object: its own schema, with its apiVersion and kind. */
const ofKind = (schema: Schema, { group, version, kind }: Kind): Schema => ({
  ...schema,
  properties: {
    ...(schema['properties'] as Schema),
    apiVersion: { type: 'string', const: group === '' ? version : `${group}/${version}` },
    kind: { type: 'string', const: kind },
  },
  required: [...new Set([...((schema['required'] ?? []) as string[]), 'apiVersion', 'kind'])],
});

const QUANTITY = { oneOf: [{ type: 'string' }, { type: 'number' }] };
const INT_OR_STRING = { oneOf: [{ type: 'string' }, { type: 'integer' }] };

const definitionOf = (name: string, schema: unknown): unknown => {
  if (name.endsWith('.Quantity')) return QUANTITY;
  return name.endsWith('.IntOrString') ? INT_OR_STRING : strict(schema);
};

/** The schema files from Kubernetes' own OpenAPI, by name. */
export function schemasOfSwagger(swagger: {
  readonly definitions: Readonly<Record<string, Schema>>;
}): Record<string, unknown> {
  const definitions = Object.fromEntries(
    Object.entries(swagger.definitions).map(([name, schema]) => {
      const isOpen = name.includes('JSONSchemaProps');
      // Definitions without a type are objects too.
      return [name, isOpen ? {} : definitionOf(name, 'properties' in schema ? { type: 'object', ...schema } : schema)];
    }),
  );
  const files: Record<string, unknown> = { [DEFINITIONS]: { definitions } };
  for (const [name, schema] of Object.entries(swagger.definitions)) {
    const kinds = (schema['x-kubernetes-group-version-kind'] ?? []) as Kind[];
    // A definition with several kinds, such as the options of deletion, is no object of a chart.
    const [kind] = kinds;
    if (kinds.length === 1 && kind !== undefined) files[fileOf(kind)] = ofKind(definitions[name] as Schema, kind);
  }
  return files;
}

interface CustomDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** The schema files from a CustomResourceDefinition, by name. */
export function schemasOfDefinition(text: string): Record<string, unknown> {
  const { spec } = parse(text) as CustomDefinition;
  return Object.fromEntries(
    spec.versions.map(({ name, schema }) => {
      const kind = { group: spec.group, version: name, kind: spec.names.kind };
      const made = strict(schema.openAPIV3Schema) as Schema;
      return [
        fileOf(kind),
        ofKind({ ...made, properties: { ...(made['properties'] as Schema), metadata: { type: 'object' } } }, kind),
      ];
    }),
  );
}

/**
 * Makes the schemas for `kubeconform`, unless they exist.
 *
 * @returns their folder
 * @throws SetupError where Go is missing, or a module can't be downloaded
 */
export async function ensureKubeSchemas(options: GoOptions): Promise<string> {
  const folder = kubeSchemasPath(options.cacheDir);
  if (existsSync(folder)) return folder;
  options.report('making the schemas of Kubernetes');
  const files = await withGoWorkspace(options, 'to fetch the schemas of Kubernetes', async ({ read }) => {
    const texts = ({ module, files: paths }: Source): string[] => {
      const { Dir } = JSON.parse(read(`fetch ${module}`, ['mod', 'download', '-json', module])) as { Dir: string };
      return paths.map((path) => readFileSync(join(Dir, path), 'utf8'));
    };
    const [swagger = ''] = texts(KUBERNETES);
    const custom = CUSTOM.flatMap(texts).map(schemasOfDefinition);
    return Object.assign(
      schemasOfSwagger(JSON.parse(swagger) as Parameters<typeof schemasOfSwagger>[0]),
      ...custom,
    ) as Record<string, unknown>;
  });
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  for (const [name, schema] of Object.entries(files)) writeFileSync(join(making, name), JSON.stringify(schema));
  // By rename, so that no process reads an incomplete folder. Another process may have been faster.
  rmSync(folder, { recursive: true, force: true });
  renameSync(making, folder);
  return folder;
}
