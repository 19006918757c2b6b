// SPDX-License-Identifier: Apache-2.0
import { FollowedFile } from '@writ/nest-kit/keys';
import {
  addressBlocks,
  COMMON_ENVIRONMENT,
  DatabaseUrl,
  EnvironmentError,
  listenHost,
  named,
  OUTBOUND_ENVIRONMENT,
  outboundOf,
  Port,
  ReadBy,
  readCommonFiles,
  readEnvironment,
  readKeyFile,
  readSecretFile,
  type Outbound,
} from '@writ/nest-kit';
import { Type, type Static } from 'typebox';
import { parseHostNames } from './api/mcp/mcp-origins.ts';
import { parsePlatformHash } from './edge/access/platform-key.ts';
import { currencyProblem, readModelsFile, type ConfiguredModel } from './runs/models/models-file.ts';
import { parseAllowedHosts } from './edge/outbound/allowed-hosts.ts';
import { issuerUrls, publicUrl } from './edge/access/oauth/urls.ts';
import { parseLogKeys, parseRecordKeys, Published } from './edge/published-keys.ts';

const File = (what: string) => Type.String({ minLength: 1, description: `a file with ${what}` });
const SecretFile = (what: string) => Type.String({ minLength: 1, secret: true, description: `a file with ${what}` });

export const Environment = Type.Object({
  ...COMMON_ENVIRONMENT,
  ...OUTBOUND_ENVIRONMENT,
  WRIT_HTTP_HOST: ReadBy(
    Type.String({ default: '127.0.0.1', minLength: 1, description: 'the address that the API listens on' }),
    listenHost,
  ),
  WRIT_HTTP_PORT: { ...Port, default: 0, description: 'the TCP port of the API; 0 picks a free one' } as typeof Port,
  WRIT_MCP_HOSTS: ReadBy(
    Type.String({
      default: '',
      description:
        'host names by which clients reach `/mcp`, with commas between; if empty, an API on a loopback address accepts the names of that address, and any other API accepts every name',
    }),
    parseHostNames,
  ),
  WRIT_ORCHESTRATOR_DATABASE_URL: DatabaseUrl('writ_orchestrator'),
  WRIT_PLATFORM_KEY_HASH_FILE: File('the SHA-256 of the platform key, 64 hexadecimal digits'),
  WRIT_RECORD_PUBLIC_KEYS_FILE: File('the public keys of records, JSON `{"keys":[{"keyid","jwk"}]}`'),
  WRIT_LOG_PUBLIC_KEYS_FILE: File('the verifier keys of logs, JSON `{"keys":["name+hash+base64"]}`'),
  WRIT_WEBHOOK_KEY_FILE: SecretFile(
    'the key that seals secrets of webhooks, 32 bytes in base64; keys of staged changes, of sessions and of sign-ins are derived from it',
  ),
  WRIT_WEBHOOK_ALLOW: ReadBy(
    Type.String({
      default: '',
      description:
        "`host:port`, with commas between, that webhooks may reach though their address isn't public, and by plain HTTP",
    }),
    parseAllowedHosts,
  ),
  WRIT_PUBLIC_URL: Type.Optional(
    ReadBy(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'the URL at which clients reach the API, such as `https://writ.example.org`: OAuth access tokens must name it as their audience; unless set, only API keys are accepted',
      }),
      publicUrl,
    ),
  ),
  WRIT_CONSOLE: Type.Boolean({
    default: true,
    description: 'whether the API serves the console, a web application for people, at `/console`',
  }),
  WRIT_SESSION_IDLE_MS: Type.Integer({
    default: 1_800_000,
    minimum: 60_000,
    maximum: 86_400_000,
    unit: 'milliseconds',
    description: 'milliseconds without a request after which the session of a person who signed in ends',
  }),
  WRIT_SESSION_MAX_MS: Type.Integer({
    default: 43_200_000,
    minimum: 60_000,
    maximum: 2_592_000_000,
    unit: 'milliseconds',
    description: 'milliseconds after a sign-in at which the session ends in any case',
  }),
  WRIT_KEY_SESSIONS: Type.Boolean({
    default: false,
    description:
      'whether people may sign in to a browser with an API key, for trials: whoever copies the cookie has the rights of the key; needs `WRIT_PUBLIC_URL`',
  }),
  WRIT_AUTHORIZATION_SERVERS: ReadBy(
    Type.String({
      default: '',
      description:
        'issuers, with commas between, that the metadata of the protected resource name, so that clients find them; whose tokens are accepted, each tenant registers',
    }),
    issuerUrls,
  ),
  WRIT_ISSUER_ALLOW: ReadBy(
    Type.String({
      default: '',
      description:
        "`host:port`, with commas between, of OAuth issuers that are reached though their address isn't public, and by plain HTTP",
    }),
    parseAllowedHosts,
  ),
  WRIT_MODELS_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'a file with the models that sessions may use, JSON `{"models":[{"name","provider",…}]}`; none unless set',
    }),
  ),
  WRIT_RUN_COST_PER_DAY_MAX: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000_000,
      unit: 'millionths of the currency',
      description:
        'what the runs of one tenant may cost within 24 hours, in millionths of the one currency that all models with prices have; no bound unless set',
    }),
  ),
  WRIT_EVENT_STREAMS_MAX: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 10_000,
    unit: 'streams',
    description:
      'event streams that a tenant may have open at this replica; as many streams of runs, exports and followed outputs may be open beside them',
  }),
  WRIT_RATE_PER_SECOND: Type.Integer({
    default: 200,
    minimum: 1,
    maximum: 1_000_000,
    unit: 'requests a second',
    description: 'requests a second that a tenant may send to this replica',
  }),
  WRIT_RATE_BURST: Type.Integer({
    default: 400,
    minimum: 1,
    maximum: 1_000_000,
    unit: 'requests',
    description: 'requests that a tenant may send at once to this replica',
  }),
  WRIT_AUTH_FAILURES_PER_MINUTE: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 1_000_000,
    unit: 'requests a minute',
    description: 'invalid API keys that one address may present to this replica within a minute',
  }),
  WRIT_TRUSTED_PROXIES: ReadBy(
    Type.String({
      default: '',
      description:
        'proxies whose `X-Forwarded-For` the API believes: addresses and CIDR blocks, with commas between; none if empty',
    }),
    addressBlocks,
  ),
  WRIT_REQUESTS_MAX: Type.Integer({
    default: 2_000,
    minimum: 1,
    maximum: 100_000,
    unit: 'requests',
    description: 'concurrent requests in this replica',
  }),
  WRIT_CONNECTION_MAX_AGE_MS: Type.Integer({
    default: 300_000,
    minimum: 0,
    maximum: 86_400_000,
    unit: 'milliseconds',
    description:
      'milliseconds, give or take a tenth, after which an answer asks the client to open a new connection; it may lead to another replica; 0 sets no bound',
  }),
});

export type OrchestratorConfig = Readonly<Static<typeof Environment>> & {
  /** SHA-256 of the platform key */
  readonly platformKeyHash: Buffer;
  readonly published: Published;
  readonly webhookKey: Buffer;
  readonly models: readonly ConfiguredModel[];
  /** `host:port` */
  readonly webhookAllowed: ReadonlySet<string>;
  /** issuers that the metadata name */
  readonly authorizationServers: readonly string[];
  /** `host:port` */
  readonly issuerAllowed: ReadonlySet<string>;
  readonly outbound: Outbound;
  /** absent where NATS has no users */
  readonly natsPassword: string | undefined;
};

/**
 * The only reader of the environment. Throws EnvironmentError for an invalid variable or file, with its name and never
 * its content.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): OrchestratorConfig {
  const read = readEnvironment(Environment, env);
  const { WRIT_MODELS_FILE: modelsFile } = read;
  const models = modelsFile === undefined ? [] : named('WRIT_MODELS_FILE', () => readModelsFile(modelsFile));
  const mixed = read.WRIT_RUN_COST_PER_DAY_MAX === undefined ? null : currencyProblem(models);
  if (mixed !== null) throw new EnvironmentError([mixed]);
  if (read.WRIT_KEY_SESSIONS && read.WRIT_PUBLIC_URL === undefined)
    throw new EnvironmentError(['WRIT_KEY_SESSIONS needs WRIT_PUBLIC_URL: cookies belong to the URL of the API']);
  const outbound = named('WRIT_OUTBOUND_DNS', () => outboundOf(read));
  return Object.freeze({
    ...read,
    platformKeyHash: named('WRIT_PLATFORM_KEY_HASH_FILE', () =>
      parsePlatformHash(readSecretFile('WRIT_PLATFORM_KEY_HASH_FILE', read.WRIT_PLATFORM_KEY_HASH_FILE)),
    ),
    published: new Published(
      named('WRIT_RECORD_PUBLIC_KEYS_FILE', () => new FollowedFile(read.WRIT_RECORD_PUBLIC_KEYS_FILE, parseRecordKeys)),
      named('WRIT_LOG_PUBLIC_KEYS_FILE', () => new FollowedFile(read.WRIT_LOG_PUBLIC_KEYS_FILE, parseLogKeys)),
    ),
    webhookKey: named('WRIT_WEBHOOK_KEY_FILE', () => readKeyFile('WRIT_WEBHOOK_KEY_FILE', read.WRIT_WEBHOOK_KEY_FILE)),
    models,
    authorizationServers: issuerUrls(read.WRIT_AUTHORIZATION_SERVERS),
    issuerAllowed: parseAllowedHosts(read.WRIT_ISSUER_ALLOW),
    outbound,
    webhookAllowed: parseAllowedHosts(read.WRIT_WEBHOOK_ALLOW),
    natsPassword: readCommonFiles(read),
  });
}
