// SPDX-License-Identifier: Apache-2.0
import { execFile, execFileSync, type ExecFileOptions } from 'node:child_process';
import { constants, createPublicKey, publicEncrypt, type KeyObject } from 'node:crypto';
import { KeyStoreError } from '@writ/signing';
import { Type, type Static } from 'typebox';
import { KeyWrap } from './key-wrap.ts';

const Text = Type.String({ minLength: 1, maxLength: 4_096 });

export const Pkcs11 = Type.Object(
  {
    /** the token's library, as its vendor ships it */
    module: Text,
    /** the token's label */
    token: Text,
    /** the id of the RSA key on it, hexadecimal: with a label alone, `pkcs11-tool` decrypts with any key */
    key_id: Type.String({ pattern: '^([0-9a-f]{2}){1,64}$' }),
    /** a file with the token's PIN, readable by its owner alone */
    pin_file: Text,
    /** of OAEP, with MGF1 of the same; SoftHSM supports SHA-1 only, and SHA-1 suffices for OAEP */
    oaep_hash: Type.Optional(Type.Union([Type.Literal('SHA256'), Type.Literal('SHA-1')])),
    /** OpenSC's `pkcs11-tool` */
    program: Type.Optional(Text),
    /** the environment that the vendor's library needs; the library gets no variable of the process */
    environment: Type.Optional(Type.Record(Text, Type.String({ maxLength: 4_096 }))),
  },
  { additionalProperties: false },
);
export type Pkcs11 = Static<typeof Pkcs11>;

const PROGRAM = '/usr/bin/pkcs11-tool';
/** Devices answer within a fraction of a second. A missing one must not delay a start for long. */
const ANSWER_MS = 10_000;
const BYTES_MAX = 64 * 1024;
/** The PIN appears in no list of processes: the tool reads it from this variable. */
const PIN = 'WRIT_TOKEN_PIN';
const HASHES = { SHA256: { node: 'sha256', mgf: 'MGF1-SHA256' }, 'SHA-1': { node: 'sha1', mgf: 'MGF1-SHA1' } } as const;

/**
 * An RSA key on a PKCS #11 token (a HSM, a smart card, SoftHSM), through OpenSC's `pkcs11-tool`. Each request runs in a
 * process of its own, so a vendor's library is never loaded into a process that signs. Sealing uses only the public
 * half.
 */
export class Pkcs11Wrap extends KeyWrap {
  readonly #options: Pkcs11;
  readonly #pinOf: () => string;
  #publicKey: KeyObject | undefined;

  /** @param pinOf called for each request: the PIN is kept nowhere */
  constructor(options: Pkcs11, pinOf: () => string) {
    super();
    this.#options = options;
    this.#pinOf = pinOf;
  }

  override wrap(secret: Uint8Array): Uint8Array {
    this.#publicKey ??= this.#readPublicKey();
    return publicEncrypt(
      { key: this.#publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: this.#hash.node },
      secret,
    );
  }

  override unwrapAtStart(wrapped: Uint8Array): Uint8Array {
    return this.#runTool(this.#decrypting, wrapped, this.#pinOf());
  }

  override unwrap(wrapped: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const child = execFile(
        this.#program,
        [...this.#decrypting],
        { ...this.#spawned(this.#pinOf()), encoding: 'buffer' },
        (error, stdout, stderr) => {
          if (error === null) resolve(stdout);
          else reject(this.#failed({ cause: error, stderr }));
        },
      );
      // A missing tool, or one that refused the PIN, reads no input. Its exit explains the problem.
      child.stdin?.on('error', () => undefined).end(wrapped);
    });
  }

  #readPublicKey(): KeyObject {
    const der = this.#runTool(
      ['--read-object', '--type', 'pubkey', '--id', this.#options.key_id],
      new Uint8Array(),
      null,
    );
    try {
      return createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
    } catch (cause) {
      throw new KeyStoreError(
        `what the token \`${this.#options.token}\` gives for \`${this.#options.key_id}\` is no public key`,
        { cause },
      );
    }
  }

  #runTool(args: readonly string[], input: Uint8Array, pin: string | null): Uint8Array {
    try {
      return execFileSync(this.#program, [...(pin === null ? this.#token : []), ...args], {
        ...this.#spawned(pin),
        input,
        stdio: 'pipe',
      });
    } catch (cause) {
      throw this.#failed({ cause, stderr: (cause as { stderr?: Uint8Array }).stderr });
    }
  }

  /** The tool's last line of output, which contains no secret. */
  #failed({ cause, stderr }: { cause: unknown; stderr?: string | Uint8Array | undefined }): KeyStoreError {
    const message =
      Buffer.from(stderr ?? '')
        .toString('utf8')
        .trim()
        .split('\n')
        .at(-1) ?? '';
    const why = message === '' ? ((cause as NodeJS.ErrnoException).code ?? 'it did not answer') : message;
    return new KeyStoreError(
      `the key \`${this.#options.key_id}\` of the token \`${this.#options.token}\` can't be used: ${why}`,
      { cause },
    );
  }

  get #program(): string {
    return this.#options.program ?? PROGRAM;
  }

  get #hash(): (typeof HASHES)[keyof typeof HASHES] {
    return HASHES[this.#options.oaep_hash ?? 'SHA256'];
  }

  get #token(): readonly string[] {
    return ['--module', this.#options.module, '--token-label', this.#options.token];
  }

  get #decrypting(): readonly string[] {
    return [
      ...this.#token,
      '--login',
      '--pin',
      `env:${PIN}`,
      '--decrypt',
      '--mechanism',
      'RSA-PKCS-OAEP',
      '--hash-algorithm',
      this.#options.oaep_hash ?? 'SHA256',
      '--mgf',
      this.#hash.mgf,
      '--id',
      this.#options.key_id,
    ];
  }

  #spawned(pin: string | null): Pick<ExecFileOptions, 'env' | 'timeout' | 'maxBuffer'> {
    return {
      env: { ...this.#options.environment, ...(pin === null ? {} : { [PIN]: pin }) },
      timeout: ANSWER_MS,
      maxBuffer: BYTES_MAX,
    };
  }
}
