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
import type { Evidence, Seen } from './judge-checkpoint.ts';

/** Bounds what a log that misbehaves all day can make a witness keep. */
const EVIDENCE_MAX = 1_000;

const EvidenceFile = Type.Object(
  {
    v: Type.Literal(1),
    kind: Type.Union([Type.Literal('fork'), Type.Literal('unproven')]),
    origin: Type.String(),
    /** when the second was shown, in milliseconds since the epoch */
    found_at: Type.Integer(),
    kept: Type.String(),
    shown: Type.String(),
  },
  { additionalProperties: false },
);
export type FoundEvidence = Static<typeof EvidenceFile>;

/**
 * What a witness has to remember, in a folder: its key, the last checkpoint of each log, evidence. Every write is on
 * disk before it returns. One process serves a folder.
 */
export class WitnessFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The key, made if there is none and a name is given. @throws CliError `usage` */
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
      // Last: a key without a name was never told to anybody.
      writeWhole(nameFile, `${name}\n`);
    }
    const kept = readFileSync(nameFile, 'utf8').trimEnd();
    if (name !== undefined && name !== kept)
      throw usage(
        `\`${this.#path}\` is the folder of the witness \`${kept}\`: a name is not changed, since those who trust it know it by that`,
      );
    return { name: kept, signer: parseSigner(readFileSync(keyFile, 'utf8')) };
  }

  /** Read from disk each time: what isn't there was not cosigned. */
  seen(origin: string): Seen | null {
    const file = this.#logFile(origin);
    if (!existsSync(file)) return null;
    const note = readFileSync(file, 'utf8');
    const { origin: named, treeSize, root } = parseCheckpoint(parseNote(note).text);
    if (named !== origin) throw new Error(`\`${file}\` is of the log \`${named}\``);
    return { treeSize, root, note };
  }

  keep(origin: string, { note }: Seen): void {
    writeWhole(this.#logFile(origin), note);
  }

  /** Keeps two notes; the same two are kept once. */
  keepEvidence(evidence: Evidence, now: number): void {
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

  /** By hash: an origin is the log's word, and no name of a file. */
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
