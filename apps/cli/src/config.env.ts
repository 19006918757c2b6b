// SPDX-License-Identifier: Apache-2.0

/** What the program reads of its environment. */
export interface Environment {
  /** Where the API is; only together with a key. */
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  /** Whose decisions `writ chat` passes on; the API key's unless set. */
  readonly operatorKey: string | undefined;
  /** Where `npm start` keeps its state, when that isn't `.writ` somewhere upwards. */
  readonly stateDir: string | undefined;
}

/** Empty variables count as unset. */
export const readEnvironment = (env: Readonly<Record<string, string | undefined>>): Environment => ({
  url: env['WRIT_URL'] || undefined,
  apiKey: env['WRIT_API_KEY'] || undefined,
  operatorKey: env['WRIT_OPERATOR_KEY'] || undefined,
  stateDir: env['WRIT_STATE_DIR'] || undefined,
});

/** That of the process. */
export const processEnvironment = (): Environment => readEnvironment(process.env);
