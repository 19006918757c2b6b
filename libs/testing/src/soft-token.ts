// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [MODULE, TOOL] = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/bin/pkcs11-tool'];

/** The title, or its suffix, of suites that need a token, also where they are skipped. */
export const SOFT_TOKEN = 'under a real token (SoftHSM and OpenSC, where they are installed)';

/** A token as `WRIT_KEY_WRAP_FILE` configures one. */
export interface SoftToken {
  readonly device: Readonly<Record<'module' | 'token' | 'key_id' | 'pin_file' | 'oaep_hash', string>> & {
    readonly environment: Readonly<Record<string, string>>;
  };
  readonly pin: string;
  /** where the token keeps its objects */
  readonly folder: string;
}

/** Whether this machine has SoftHSM's PKCS #11 module and OpenSC's tool. */
export const hasSoftToken = (): boolean => existsSync(MODULE) && existsSync(TOOL);

/** Creates a token in a folder, with a PIN and an RSA key that unwraps and that can't be extracted. */
export function softToken(within: string): SoftToken {
  const [folder, pin] = [join(within, 'tokens'), '424242'];
  const environment = { SOFTHSM2_CONF: join(within, 'softhsm2.conf') };
  const device = {
    module: MODULE,
    token: 'writ-spec',
    key_id: '01',
    pin_file: join(within, 'pin'),
    oaep_hash: 'SHA-1',
    environment,
  };
  mkdirSync(folder);
  writeFileSync(environment.SOFTHSM2_CONF, `directories.tokendir = ${folder}\n`);
  writeFileSync(device.pin_file, `${pin}\n`, { mode: 0o600 });
  const on = (...args: string[]): void => {
    execFileSync(TOOL, ['--module', MODULE, ...args], { env: environment, stdio: 'pipe' });
  };
  on('--init-token', '--slot-index', '0', '--label', device.token, '--so-pin', pin);
  on('--token-label', device.token, '--login', '--login-type', 'so', '--so-pin', pin, '--init-pin', '--new-pin', pin);
  on(
    '--token-label',
    device.token,
    '--login',
    '--pin',
    pin,
    '--keypairgen',
    '--key-type',
    'rsa:2048',
    '--id',
    device.key_id,
    '--usage-decrypt',
  );
  return { device, pin, folder };
}
