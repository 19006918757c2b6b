// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  publishRings,
  readKeyWrap,
  readRing,
  whileRingsAreLocked,
  writeRing,
  type KeyWrap,
  type Rings,
} from '@writ/nest-kit/keys';
import {
  formatRing,
  KeyStoreError,
  parseNoteKey,
  PURPOSES,
  SignatureError,
  type KeyRing,
  type Purpose,
} from '@writ/signing';
import { CliError, usage } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';

/** Where the rings and their published keys are; the defaults are those of `npm start`. */
export interface FolderOptions extends CommonOptions {
  readonly keys?: string;
  readonly public?: string;
  readonly bundle?: string;
  /** the file that names the device that wraps the rings */
  readonly wrap?: string;
}

/** Returns the private key of an id, as PEM: of keys in the old ring, and of new ones. */
export type PrivateKeyLookup = (keyid: string) => string | null;

/** A change of one ring, with all rings before the change. */
export interface RingWrite {
  readonly before: Rings;
  readonly changed: KeyRing;
  readonly pemOf: PrivateKeyLookup;
}

/** The rings of a deployment, in files. */
export class KeyFolders {
  readonly #keys: string;
  readonly #public: string;
  readonly #bundle: string;
  readonly #wrap: KeyWrap | null;

  constructor({ cwd, env }: Context, options: FolderOptions) {
    const state = env.stateDir ?? join(cwd, '.writ');
    this.#keys = options.keys ?? join(state, 'keys');
    this.#public = options.public ?? join(state, 'public');
    this.#bundle =
      options.bundle ??
      (options.public === undefined ? join(state, 'public-keys.json') : join(options.public, 'public-keys.json'));
    this.#wrap = options.wrap === undefined ? null : withKeyErrors(() => readKeyWrap(options.wrap as string));
  }

  /** Runs a change under the lock of the rings. @throws CliError `keys` where another process holds the lock */
  change<T>(run: () => T): T {
    return withKeyErrors(() => whileRingsAreLocked(this.#keys, run));
  }

  /** @throws CliError `keys` */
  read(): { rings: Rings; pemsOf: Readonly<Record<Purpose, PrivateKeyLookup>> } {
    const [permit, record, checkpoint] = PURPOSES.map((purpose) =>
      withKeyErrors(() => readRing(this.#fileOf(purpose), this.#wrap)),
    );
    if (permit === undefined || record === undefined || checkpoint === undefined)
      throw new Error('a purpose has no ring');
    return {
      rings: { permit: permit.ring, record: record.ring, checkpoint: checkpoint.ring },
      pemsOf: { permit: permit.pemOf, record: record.pemOf, checkpoint: checkpoint.pemOf },
    };
  }

  /**
   * Replaces a ring. Its new keys are published first: verifiers would refuse records of a key that isn't published
   * yet, and a published key that never signs does no harm. The end or the revocation of a key is published last. If
   * this process dies in between, the ring's key is still published as valid.
   * @throws CliError `keys`
   */
  write(purpose: Purpose, { before, changed, pemOf }: RingWrite): void {
    const deployment = this.#readDeploymentName();
    const files = {
      permit: join(this.#public, 'permit-keys.json'),
      record: join(this.#public, 'record-keys.json'),
      log: join(this.#public, 'log-keys.json'),
      checkpoint: join(this.#public, 'checkpoint-keys.json'),
      all: this.#bundle,
    };
    withKeyErrors(() => {
      publishRings(before, deployment, files, { purpose, changed });
      writeRing(this.#fileOf(purpose), formatRing(changed, pemOf), this.#wrap);
      publishRings({ ...before, [purpose]: changed }, deployment, files);
    });
  }

  #fileOf(purpose: Purpose): string {
    return join(this.#keys, `${purpose}.json`);
  }

  /** The deployment's name, read from the published keys of the log. */
  #readDeploymentName(): string {
    const path = join(this.#public, 'log-keys.json');
    try {
      const {
        keys: [first],
      } = JSON.parse(readFileSync(path, 'utf8')) as { keys: string[] };
      return parseNoteKey(first ?? '').name;
    } catch (cause) {
      throw new CliError(
        'keys',
        `\`${path}\` names no key of a log, so the deployment's name isn't known: name the folder with \`--public\``,
        undefined,
        { cause },
      );
    }
  }
}

/** Converts errors of the key store into errors of this program. */
export function withKeyErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof KeyStoreError || error instanceof SignatureError)
      throw new CliError('keys', error.message, undefined, { cause: error });
    throw error;
  }
}

/** @throws CliError `usage` */
export function purposeOf(text: string): Purpose {
  const purpose = PURPOSES.find((each) => each === text);
  if (purpose === undefined) throw usage(`\`${text}\` is none of ${PURPOSES.join(', ')}`);
  return purpose;
}
