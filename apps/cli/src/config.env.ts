// SPDX-License-Identifier: Apache-2.0
import { isAbsolute, join } from 'node:path';

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
  WRIT_CONTEXT: {
    description: 'the context of `writ context` to use instead of the current one; `local` is `.writ/cli.json`',
  },
  XDG_CONFIG_HOME: { description: 'the folder of `writ/config.json` with the contexts; `~/.config` unless set' },
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
  /** The context to use instead of the current one. */
  readonly context: string | undefined;
  /** The file with the contexts; undefined for a user without a home. */
  readonly contextsFile: string | undefined;
  /** Whether a browser can show something: of systems where that isn't certain. */
  readonly hasDisplay: boolean;
}

/** A relative XDG_CONFIG_HOME is to be ignored (XDG Base Directory Specification). */
function contextsFileOf(configHome: string | undefined, home: string | undefined): string | undefined {
  const folder =
    configHome !== undefined && isAbsolute(configHome)
      ? configHome
      : home === undefined
        ? undefined
        : join(home, '.config');
  return folder === undefined ? undefined : join(folder, 'writ', 'config.json');
}

/** Empty variables count as unset. */
export const readEnvironment = (env: Readonly<Record<string, string | undefined>>): Environment => ({
  url: env['WRIT_URL'] || undefined,
  apiKey: env['WRIT_API_KEY'] || undefined,
  operatorKey: env['WRIT_OPERATOR_KEY'] || undefined,
  stateDir: env['WRIT_STATE_DIR'] || undefined,
  context: env['WRIT_CONTEXT'] || undefined,
  hasDisplay: Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']),
  contextsFile: contextsFileOf(env['XDG_CONFIG_HOME'] || undefined, env['HOME'] || undefined),
});

/** The environment of this process. */
export const processEnvironment = (): Environment => readEnvironment(process.env);
