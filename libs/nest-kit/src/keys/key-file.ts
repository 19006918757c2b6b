// SPDX-License-Identifier: Apache-2.0
//
// Rings of keys in files. Processes follow them by polling every few seconds: a file watch would silently miss a file
// that is replaced under a mount.
import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  formatRing,
  type KeyRing,
  KeyStore,
  KeyStoreError,
  parseRing,
  parseSigner,
  ringOf,
  type Signer,
} from '@writ/signing';
import { isWrapped, unwrapText, unwrapTextAtStart, wrapText, type KeyWrap } from './key-wrap.ts';

/** A new private key, before it is written to a file. */
export interface NewKey {
  readonly pem: string;
  readonly signer: Signer;
}

export function newKey(): NewKey {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { pem, signer: parseSigner(pem) };
}

/**
 * Distinguishes two states of a file without reading it. A replaced file has another inode; a rewritten one has another
 * time or size.
 */
const stampOf = ({ ino, mtimeNs, size }: { ino: bigint; mtimeNs: bigint; size: bigint }): string =>
  `${String(ino)}.${String(mtimeNs)}.${String(size)}`;

/** The bits with which others may read, write or run a file. */
const OTHERS = 0o077;
const GROUP_READS = 0o040;

/** The identity of the process: `process.getuid`, `process.getgroups`. */
export interface Identity {
  readonly uid: number;
  readonly groups: readonly number[];
}

/**
 * Answers whether other users than this process's may reach a file. A Secret that Kubernetes mounts belongs to root.
 * Under `fsGroup` it also belongs to a group of the pod alone, which may read it (mode 0440). A process that is not
 * root and is in that group may read it too.
 *
 * @param file as `fs.stat` returns it
 */
export function isOpenToOthers(
  { mode, uid, gid }: { readonly mode: bigint; readonly uid: bigint; readonly gid: bigint },
  own: Identity,
): boolean {
  const open = Number(mode) & OTHERS;
  const isMounted = uid === 0n && own.uid !== 0 && own.groups.includes(Number(gid));
  return open !== 0 && !(open === GROUP_READS && isMounted);
}

const ownIdentity = (): Identity => ({ uid: process.getuid?.() ?? 0, groups: process.getgroups?.() ?? [] });

/**
 * Reads a file of private keys.
 * @throws KeyStoreError where it can't be read, or where others may read it
 */
export function readPrivate(path: string): { stamp: string; text: string } {
  try {
    const found = statSync(path, { bigint: true });
    if (isOpenToOthers(found, ownIdentity()))
      throw new KeyStoreError(`\`${path}\` holds private keys and others may read it: \`chmod 600 ${path}\``);
    return { stamp: stampOf(found), text: readFileSync(path, 'utf8') };
  } catch (error) {
    throw named(path, error);
  }
}

/** The same error with the file's name. Of an error of the system, only its code is repeated. */
function named(path: string, error: unknown): KeyStoreError {
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  if (message.includes(path) && error instanceof KeyStoreError) return error;
  return new KeyStoreError(
    syscall === undefined ? `\`${path}\`: ${message}` : `\`${path}\` can't be read (${code ?? 'unknown'})`,
    { cause: error },
  );
}

function parsed<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw named(path, error);
  }
}

/**
 * The ring in a file: JSON as `writ signing-keys` writes it, or the PEM of a single key. It is wrapped where a device
 * is configured that unwraps it.
 *
 * INVARIANT (no clear key with a device): where a device is configured, a file that isn't wrapped is refused. So nobody
 * mistakes a clear file for a wrapped one.
 */
export class KeyFile extends KeyStore {
  readonly #path: string;
  readonly #wrap: KeyWrap | null;
  #stamp: string;
  #ring: KeyRing;

  /** @throws KeyStoreError for a file that can't be read completely, and for one that others may read */
  constructor(path: string, wrap: KeyWrap | null = null) {
    super();
    this.#path = path;
    this.#wrap = wrap;
    const { stamp, text } = readPrivate(path);
    this.#ring = parsed(path, () => {
      const by = wrapOf(text, wrap);
      return parseRing(by === null ? text : unwrapTextAtStart(text, by));
    });
    this.#stamp = stamp;
  }

  override get ring(): KeyRing {
    return this.#ring;
  }

  override async refresh(): Promise<boolean> {
    if ((await stampAt(this.#path)) === this.#stamp) return false;
    const { stamp, text } = readPrivate(this.#path);
    try {
      const by = wrapOf(text, this.#wrap);
      this.#ring = parseRing(by === null ? text : await unwrapText(text, by));
    } catch (error) {
      throw named(this.#path, error);
    }
    this.#stamp = stamp;
    return true;
  }
}

/**
 * The device that unwraps the file; null where the file is not wrapped and need not be.
 * @throws KeyStoreError where the file and the configured device contradict each other
 */
function wrapOf(text: string, wrap: KeyWrap | null): KeyWrap | null {
  if (wrap === null && isWrapped(text))
    throw new KeyStoreError('it is wrapped by a device: name that with `WRIT_KEY_WRAP_FILE`, or with `--wrap`');
  if (wrap !== null && !isWrapped(text))
    throw new KeyStoreError(
      'it lies in clear, and a device is named that wraps keys: `writ signing-keys wrap` puts it under that',
    );
  return wrap;
}

/** The stamp of a missing file equals no other stamp. */
const stampAt = async (path: string): Promise<string> => stat(path, { bigint: true }).then(stampOf, () => 'none');

/** The parsed content of a public file, read again when it changes. */
export class FollowedFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  #stamp: string;
  #value: T;

  /** @throws KeyStoreError for a file that can't be read, and the error of `parse` with the file's name */
  constructor(path: string, parse: (text: string) => T) {
    this.#path = path;
    this.#parse = parse;
    const { stamp, value } = parsed(path, () => ({
      stamp: stampOf(statSync(path, { bigint: true })),
      value: parse(readFileSync(path, 'utf8')),
    }));
    this.#stamp = stamp;
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Resolves with whether the file has changed. Rejects and keeps the earlier content where the file can't be read. */
  async refresh(): Promise<boolean> {
    const stamp = await stampAt(this.#path);
    if (stamp === this.#stamp) return false;
    const text = await readFile(this.#path, 'utf8').catch((error: unknown) => {
      throw named(this.#path, error);
    });
    this.#value = parsed(this.#path, () => this.#parse(text));
    this.#stamp = stamp;
    return true;
  }
}

/**
 * Reads a ring with its private keys, to change it. A clear ring is accepted also where a device is configured, so that
 * it can be wrapped.
 * @throws KeyStoreError
 */
export function readRing(
  path: string,
  wrap: KeyWrap | null = null,
): { ring: KeyRing; pemOf: (keyid: string) => string | null } {
  const { text: found } = readPrivate(path);
  const text = parsed(path, () => {
    const by = isWrapped(found) ? wrapOf(found, wrap) : null;
    return by === null ? found : unwrapTextAtStart(found, by);
  });
  return parsed(path, () => parseRingText(text));
}

/**
 * Parses a clear ring with its private keys, to change it: JSON, or the PEM of a single key.
 * @throws KeyStoreError
 */
export function parseRingText(text: string): { ring: KeyRing; pemOf: (keyid: string) => string | null } {
  const ring = parseRing(text);
  if (!text.trimStart().startsWith('{')) return { ring, pemOf: () => text };
  const pems = new Map(
    (JSON.parse(text) as { keys: { keyid: string; pem: string | null }[] }).keys.map(({ keyid, pem }) => [keyid, pem]),
  );
  return { ring, pemOf: (keyid) => pems.get(keyid) ?? null };
}

/**
 * Writes a ring where processes read it, wrapped where a device is configured.
 * @throws KeyStoreError
 */
export function writeRing(path: string, text: string, wrap: KeyWrap | null): void {
  replaceFile(path, wrap === null ? text : wrapText(text, wrap), 0o600);
}

/** The text of a ring of one key. */
export const firstRing = ({ pem, signer }: NewKey): string => formatRing(ringOf(signer), () => pem);

/**
 * Replaces the content of a file in one step. A reader finds the old content or the new one at any moment, also after a
 * power failure. A link is refused: the replacement would replace the link, and its target would stay.
 * @throws KeyStoreError
 */
export function replaceFile(path: string, text: string, mode: number): void {
  const next = `${path}.next`;
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new KeyStoreError(`\`${path}\` is a link: name the file that it leads to`);
    const fd = openSync(next, 'w', mode);
    try {
      writeSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    // An older file of that name may have had other rights.
    chmodSync(next, mode);
    renameSync(next, path);
    const folder = openSync(dirname(path), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    if (error instanceof KeyStoreError) throw error;
    throw new KeyStoreError(`\`${path}\` can't be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      cause: error,
    });
  }
}
