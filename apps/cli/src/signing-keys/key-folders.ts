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

/** Where the rings and what is published of them are; each left out is that of `npm start`. */
export interface FolderOptions extends CommonOptions {
  readonly keys?: string;
  readonly public?: string;
  readonly bundle?: string;
  /** which device wraps the rings */
  readonly wrap?: string;
}

/** The private keys that a ring had before, by id, and those that are new. */
export type Pems = (keyid: string) => string | null;

/** A ring that changes, with all rings as they are before. */
export interface RingWrite {
  readonly before: Rings;
  readonly changed: KeyRing;
  readonly pemOf: Pems;
}

/** The rings of a deployment in its files. */
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
    this.#wrap = options.wrap === undefined ? null : withinKeys(() => readKeyWrap(options.wrap as string));
  }

  /**
   * Changes rings while nobody else does.
   * @throws CliError `keys` where somebody does
   */
  change<T>(run: () => T): T {
    return withinKeys(() => whileRingsAreLocked(this.#keys, run));
  }

  /** @throws CliError `keys` */
  read(): { rings: Rings; pemsOf: Readonly<Record<Purpose, Pems>> } {
    const [permit, record, checkpoint] = PURPOSES.map((purpose) =>
      withinKeys(() => readRing(this.#fileOf(purpose), this.#wrap)),
    );
    if (permit === undefined || record === undefined || checkpoint === undefined)
      throw new Error('a purpose has no ring');
    return {
      rings: { permit: permit.ring, record: record.ring, checkpoint: checkpoint.ring },
      pemsOf: { permit: permit.pemOf, record: record.pemOf, checkpoint: checkpoint.pemOf },
    };
  }

  /**
   * Puts a changed ring in the place of the one that was. Its new keys are published before: one that signs before
   * anybody knows it would have its records refused, and one that is known and never signs costs nothing. That a key
   * ends or is revoked is published after: where this dies in between, the ring's key is still known as one that signs.
   * @throws CliError `keys`
   */
  write(purpose: Purpose, { before, changed, pemOf }: RingWrite): void {
    const deployment = this.#deployment();
    const files = {
      permit: join(this.#public, 'permit-keys.json'),
      record: join(this.#public, 'record-keys.json'),
      log: join(this.#public, 'log-keys.json'),
      checkpoint: join(this.#public, 'checkpoint-keys.json'),
      all: this.#bundle,
    };
    withinKeys(() => {
      publishRings(before, deployment, files, { purpose, changed });
      writeRing(this.#fileOf(purpose), formatRing(changed, pemOf), this.#wrap);
      publishRings({ ...before, [purpose]: changed }, deployment, files);
    });
  }

  #fileOf(purpose: Purpose): string {
    return join(this.#keys, `${purpose}.json`);
  }

  /** The name of the log's keys, as published before. */
  #deployment(): string {
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

/** What is wrong with keys, said as the program says it. */
export function withinKeys<T>(run: () => T): T {
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
  const purpose = PURPOSES.find((known) => known === text);
  if (purpose === undefined) throw usage(`\`${text}\` is none of ${PURPOSES.join(', ')}`);
  return purpose;
}
