// SPDX-License-Identifier: Apache-2.0

/** Variables that accept every text: secrets that another program checks, and names. */
const ANY_TEXT: ReadonlySet<string> = new Set([
  'WRIT_NATS_USER',
  'WRIT_SANDBOX_RUNTIME',
  'WRIT_CACHE_DIR',
  'WRIT_EMBEDDING_MODEL_DIR',
  'WRIT_SPEECH_MODEL_DIR',
  'WRIT_LEDGER_MEMORY_FILE',
]);

/** A wrong text for each variable that every process has. */
export const WRONG_COMMON_TEXTS: Readonly<Record<string, string>> = {
  WRIT_DEPLOYMENT: 'Writ!',
  WRIT_SHARD: 's_0',
  WRIT_NATS_URL: 'nats://',
  WRIT_NATS_PASSWORD_FILE: '/nowhere',
  WRIT_NATS_CA_FILE: '/nowhere',
  WRIT_LOG_LEVEL: 'loud',
  WRIT_OPS_HOST: '127.0.0.1:9464',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://',
  OTEL_METRICS_EXPORTER: 'otlp',
};

/** A wrong text for each variable of a process that opens outbound connections. */
export const WRONG_OUTBOUND_TEXTS: Readonly<Record<string, string>> = {
  WRIT_OUTBOUND_PROXY: 'http://proxy:port',
  WRIT_OUTBOUND_DIRECT: 'a b',
  WRIT_OUTBOUND_DNS: 'proxy',
};

interface Property {
  readonly type?: unknown;
  readonly anyOf?: readonly Property[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

const isText = ({ type, anyOf, const: one, enum: some }: Property): boolean =>
  type === 'string' ||
  typeof one === 'string' ||
  some?.every((each) => typeof each === 'string') === true ||
  anyOf?.every(isText) === true;

/** The variables of a schema that reject some texts: each needs a wrong one in its process's spec. */
export const textsWithMeaning = (schema: { readonly properties: Readonly<Record<string, object>> }): string[] =>
  Object.entries(schema.properties)
    .filter(([name, property]) => isText(property) && !ANY_TEXT.has(name))
    .map(([name]) => name)
    .sort();
