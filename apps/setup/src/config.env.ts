// SPDX-License-Identifier: Apache-2.0
import { COMMON_ENVIRONMENT, EnvironmentError, readEnvironment } from '@writ/nest-kit/environment';
import { Type, type Static } from 'typebox';
import { Failure } from './failure.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

const { WRIT_DEPLOYMENT, WRIT_SHARD, WRIT_START_WAIT_MS } = COMMON_ENVIRONMENT;

const Migrate = Type.Object({
  WRIT_ADMIN_DATABASE_URL: Type.String({
    pattern: '^postgres(ql)?://',
    secret: true,
    description:
      '`postgres://user:password@host:5432/writ` of a user that may make roles and databases, or that owns the ' +
      'database',
  }),
  WRIT_ADMIN_DATABASE_PASSWORD_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      secret: true,
      description: "a file with that user's password, where the URL has none",
    }),
  ),
  WRIT_ROLE_PASSWORDS_DIR: Type.String({
    minLength: 1,
    secret: true,
    description: "a folder with the password of each login role, in a file of the role's name",
  }),
  WRIT_START_WAIT_MS,
});
export type MigrateConfig = Readonly<Static<typeof Migrate>>;

const Keys = Type.Object({ WRIT_DEPLOYMENT });
export type KeysConfig = Readonly<Static<typeof Keys>>;

const NatsConfig = Type.Object({ WRIT_SHARD });
export type NatsConfig = Readonly<Static<typeof NatsConfig>>;

/** Every variable that one of the commands reads. */
export const Environment = Type.Object({ ...Migrate.properties, WRIT_DEPLOYMENT, WRIT_SHARD });

/** How to set a variable: this program runs in its own container. */
const HOW_TO_SET =
  'set it in the environment of the setup container: `environment` of its service in compose.yaml, `env` of the ' +
  'Job in Kubernetes';

function read<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof EnvironmentError) throw new Failure(`${error.message}\n  ${HOW_TO_SET}`, error);
    throw error;
  }
}

/** @throws Failure that lists every variable that is missing or wrong */
export const readMigrateConfig = (env: Variables): MigrateConfig => read(() => readEnvironment(Migrate, env));
/** @throws Failure likewise */
export const readKeysConfig = (env: Variables): KeysConfig => read(() => readEnvironment(Keys, env));
/** @throws Failure likewise */
export const readNatsConfig = (env: Variables): NatsConfig => read(() => readEnvironment(NatsConfig, env));

/** The environment of this process. */
export const environment = (): Variables => process.env;
