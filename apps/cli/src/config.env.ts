// SPDX-License-Identifier: Apache-2.0

/** The variables of the program, for the reference. All of them are optional strings. */
export const VARIABLES = {
  WRIT_URL: {
    description: 'the address of the API; set it only together with WRIT_API_KEY; `.writ/cli.json` has both unless set',
  },
  WRIT_API_KEY: { secret: true, description: 'the API key; set it only together with WRIT_URL' },
  WRIT_OPERATOR_KEY: {
    secret: true,
    description: 'the API key with which `writ chat` passes on your decisions; it is WRIT_API_KEY unless set',
  },
  WRIT_STATE_DIR: {
    description:
      'the folder where `npm start` keeps its state; the next `.writ` upwards from the working directory unless set',
  },
  NO_COLOR: { description: 'any text turns colours off' },
} as const satisfies Readonly<Record<string, { readonly secret?: boolean; readonly description: string }>>;

/** The values that the program reads from its environment. */
export interface Environment {
  /** The address of the API; only together with a key. */
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  /** The key with which `writ chat` sends decisions; the API key unless set. */
  readonly operatorKey: string | undefined;
  /** The state folder of `npm start`, where it isn't `.writ` in the working directory or above. */
  readonly stateDir: string | undefined;
}

/** Empty variables count as unset. */
export const readEnvironment = (env: Readonly<Record<string, string | undefined>>): Environment => ({
  url: env['WRIT_URL'] || undefined,
  apiKey: env['WRIT_API_KEY'] || undefined,
  operatorKey: env['WRIT_OPERATOR_KEY'] || undefined,
  stateDir: env['WRIT_STATE_DIR'] || undefined,
});

/** The environment of this process. */
export const processEnvironment = (): Environment => readEnvironment(process.env);
