// SPDX-License-Identifier: Apache-2.0
import type { CommonEnvironment } from './common-environment.ts';
import { EnvironmentError } from './read-environment.ts';
import { readSecretFile } from './read-secret-file.ts';
import { telemetryOf } from './telemetry-of.ts';
import { named } from './variable-texts.ts';

/**
 * Checks the common variables against each other and against the files that they name. Returns the password on NATS;
 * undefined where NATS has no users.
 * @throws EnvironmentError
 */
export function readCommonFiles(read: CommonEnvironment): string | undefined {
  const { WRIT_NATS_CA_FILE: ca, WRIT_NATS_PASSWORD_FILE: password } = read;
  telemetryOf(read);
  if (ca !== undefined) {
    if (!read.WRIT_NATS_URL.startsWith('tls://'))
      throw new EnvironmentError(['WRIT_NATS_CA_FILE is set, so WRIT_NATS_URL must begin with `tls://`']);
    named('WRIT_NATS_CA_FILE', () => readSecretFile('WRIT_NATS_CA_FILE', ca));
  }
  return password === undefined
    ? undefined
    : named('WRIT_NATS_PASSWORD_FILE', () => readSecretFile('WRIT_NATS_PASSWORD_FILE', password));
}
