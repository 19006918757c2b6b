// SPDX-License-Identifier: Apache-2.0
import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import {
  formatCosignerKey,
  parseCheckpoint,
  parseNote,
  parseSigner,
  SignatureError,
  type NoteSigner,
} from '@writ/signing';
import { Type, type Static } from 'typebox';
import { CliError, usage } from '../cli-error.ts';
import { writeWhole } from '../write-whole.ts';
import type { Evidence, CosignedCheckpoint } from './judge-checkpoint.ts';

/** Limits the evidence that a misbehaving log can make a witness store. */
const EVIDENCE_MAX = 1_000;

const EvidenceFile = Type.Object(
  {
    v: Type.Literal(1),
    kind: Type.Union([Type.Literal('fork'), Type.Literal('unproven')]),
    origin: Type.String(),
    /** when the second note was received, in milliseconds since the epoch */
    found_at: Type.Integer(),
    kept: Type.String(),
    shown: Type.String(),
  },
  { additionalProperties: false },
);
export type FoundEvidence = Static<typeof EvidenceFile>;

/**
 * The persistent state of a witness, in a folder: its key, the last checkpoint of each log, and evidence. Every write
 * is on disk before it returns. Only one process may use a folder.
 */
export class WitnessFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The key; it is made if there is none and a name is given. @throws CliError `usage` */
  signer(name?: string): NoteSigner {
    const [keyFile, nameFile] = [join(this.#path, 'key.pem'), join(this.#path, 'name')];
    if (!existsSync(nameFile)) {
      if (name === undefined)
        throw usage(
          `\`${this.#path}\` has no key of a witness yet: make one with \`writ witness key --dir ${this.#path} --name NAME\``,
        );
      const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
      requireName(name, parseSigner(pem).publicKey);
      writeWhole(keyFile, pem, 0o600);
      // Written last: a key without a name was never published.
      writeWhole(nameFile, `${name}\n`);
    }
    const kept = readFileSync(nameFile, 'utf8').trimEnd();
    if (name !== undefined && name !== kept)
      throw usage(
        `\`${this.#path}\` is the folder of the witness \`${kept}\`: a name is not changed, since those who trust it know it by that`,
      );
    return { name: kept, signer: parseSigner(readFileSync(keyFile, 'utf8')) };
  }

  /** Read from disk each time: a log without a file was never cosigned. */
  lastCosigned(origin: string): CosignedCheckpoint | null {
    const file = this.#logFile(origin);
    if (!existsSync(file)) return null;
    const note = readFileSync(file, 'utf8');
    const { origin: notedOrigin, treeSize, root } = parseCheckpoint(parseNote(note).text);
    if (notedOrigin !== origin) throw new Error(`\`${file}\` is of the log \`${notedOrigin}\``);
    return { treeSize, root, note };
  }

  saveCosigned(origin: string, { note }: CosignedCheckpoint): void {
    writeWhole(this.#logFile(origin), note);
  }

  /** Stores two notes; the same pair is stored once. */
  saveEvidence(evidence: Evidence, now: number): void {
    const file = join(this.#path, 'evidence', `${hexOf(`${evidence.kept}\n${evidence.shown}`)}.json`);
    if (existsSync(file) || this.#evidenceFiles().length >= EVIDENCE_MAX) return;
    const found: FoundEvidence = { v: 1, ...evidence, found_at: now };
    writeWhole(file, `${JSON.stringify(found, null, 2)}\n`);
  }

  /** All evidence, oldest first. @throws CliError `evidence` for a file that can't be read */
  evidence(): FoundEvidence[] {
    return this.#evidenceFiles()
      .map((name) => readEvidence(join(this.#path, 'evidence', name)))
      .sort((a, b) => a.found_at - b.found_at);
  }

  #evidenceFiles(): string[] {
    const folder = join(this.#path, 'evidence');
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  }

  /** By hash, since the log chooses its origin, which may be no valid file name. */
  #logFile(origin: string): string {
    return join(this.#path, 'logs', hexOf(origin));
  }
}

function requireName(name: string, publicKey: Uint8Array): void {
  try {
    formatCosignerKey(name, publicKey);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw usage(
      `\`${name}\` can't be a witness's name: no spaces and no \`+\`; an address without \`https://\` is customary`,
    );
  }
}

function readEvidence(file: string): FoundEvidence {
  try {
    return parseMessage(EvidenceFile, parseIJson(readFileSync(file), { depthMax: 2, bytesMax: 1024 * 1024 }));
  } catch (cause) {
    throw new CliError('evidence', `\`${file}\` can't be read`, undefined, { cause });
  }
}

const hexOf = (text: string): string => createHash('sha256').update(text).digest('hex');
