// SPDX-License-Identifier: Apache-2.0
// How people reach the console on this machine.
import type { Setup } from '../setup.ts';

/** The settings of the orchestrator that sign-in to the console needs. */
export interface ConsoleSettings {
  readonly WRIT_PUBLIC_URL: string;
  readonly WRIT_KEY_SESSIONS: string;
}

export const loopbackUrl = (port: number): string => `http://127.0.0.1:${port}`;

/** Without settings, people sign in at this machine with an API key: there is no identity provider yet. */
export const consoleSettings = (env: Setup['env'], port: number): ConsoleSettings => ({
  WRIT_PUBLIC_URL: env['WRIT_PUBLIC_URL'] || loopbackUrl(port),
  WRIT_KEY_SESSIONS: env['WRIT_KEY_SESSIONS'] || 'true',
});
