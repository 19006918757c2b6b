// SPDX-License-Identifier: Apache-2.0
// Runs without a connection, as all of `writ verify` does.
import type { BundleManifest } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { KeyHistoryFile } from '../key-history-file.ts';
import { readCheckpoint } from '../log/read-checkpoint.ts';
import type { Trust } from '../trust.ts';
import { broken, MANIFEST, readBundle, type BundleFile } from './bundle-archive.ts';
import { openManifest, type OpenedManifest } from './bundle-manifest.ts';
import { BundleRecords } from './bundle-records.ts';

/** Receipts of key records, one a line; only in bundles of logs that have some. */
const KEY_HISTORY = 'key-history.ndjson';
const DOCUMENT = /^(policies|tools)\/([0-9a-f]{64})\.json$/;

export interface VerifiedBundle {
  readonly manifest: BundleManifest;
  readonly operations: number;
  /** what the signatures and the log prove, and what is the word of who made the bundle */
  readonly proven: readonly string[];
  readonly not_proven: readonly string[];
}

/**
 * Verifies a bundle from what the caller trusts: every receipt, every document by its hash, the manifest's signature,
 * and that it lists these very files. Keys that lie in the bundle are not trusted for it. What a revoked key signed is
 * judged by the history of keys in the bundle, and by that which the caller has.
 *
 * @throws CliError `verify.<check>`, `verify.bundle`
 */
export async function verifyBundle(file: string, trust: Trust, history: KeyHistoryFile): Promise<VerifiedBundle> {
  const reading = new Reading(trust, history);
  for await (const each of readBundle(file)) reading.take(each);
  return reading.conclude();
}

class Reading {
  readonly #trust: Trust;
  readonly #history: KeyHistoryFile;
  readonly #files = new Map<string, { bytes: number; sha256: string }>();
  readonly #documents = { policy: new Set<string>(), tool: new Set<string>() };
  #records: BundleRecords | undefined;
  #checkpoint: { treeSize: number; origin: string } | undefined;
  #logId: string | null = null;
  #manifest: OpenedManifest | undefined;

  constructor(trust: Trust, history: KeyHistoryFile) {
    this.#trust = trust;
    this.#history = history;
  }

  take({ path, bytes }: BundleFile): void {
    if (path === MANIFEST) {
      this.#manifest = openManifest(bytes, this.#opened().keys.recordKeys);
      return;
    }
    const sha256 = sha256Hex(bytes);
    this.#files.set(path, { bytes: bytes.length, sha256 });
    const [, folder, hash = ''] = DOCUMENT.exec(path) ?? [];
    if (path === 'checkpoint.txt') this.#open(bytes.toString('utf8'));
    else if (path === KEY_HISTORY) this.#opened().addHistory(new KeyHistoryFile(`\`${path}\``, bytes.toString('utf8')));
    else if (path.startsWith('receipts/')) this.#logId = this.#opened().add(path, bytes.toString('utf8'), this.#logId);
    else if (folder !== undefined) {
      if (sha256 !== hash) throw broken(`\`${path}\` doesn't hash to its name`);
      this.#documents[folder === 'tools' ? 'tool' : 'policy'].add(hash);
    }
  }

  #open(note: string): void {
    this.#checkpoint = readCheckpoint(note, this.#trust, '`checkpoint.txt`');
    const terms = this.#trust.termsOf(note);
    this.#records = new BundleRecords(terms, note, this.#history.of(note, terms));
  }

  #opened(): BundleRecords {
    if (this.#records === undefined) throw broken("the archive doesn't begin with its checkpoint");
    return this.#records;
  }

  /** What the manifest says is what was found. */
  conclude(): VerifiedBundle {
    const [records, opened, checkpoint] = [this.#opened(), this.#manifest, this.#checkpoint];
    if (opened === undefined || checkpoint === undefined) throw broken('the archive has no manifest');
    const { manifest, byRevoked } = opened;
    this.#requireFiles(manifest);
    this.#requireDocuments(manifest, records);
    if (manifest.tree_size !== checkpoint.treeSize || !checkpoint.origin.endsWith(`/${manifest.log_id}`))
      throw broken('the manifest is of another checkpoint than the one in the archive');
    if (manifest.records !== records.count || (this.#logId !== null && this.#logId !== manifest.log_id))
      throw broken('the manifest is of other records than those in the archive');
    const isRange = manifest.session_id === null;
    if (isRange && (manifest.first_leaf !== records.first || manifest.last_leaf !== records.last))
      throw broken('the manifest is of other leaves than those in the archive');
    if (isRange) records.requireRange(manifest);
    else records.requireDecisions();
    const { proven, not_proven } = isRange ? ofRange(manifest) : OF_SESSION;
    return {
      manifest,
      operations: records.operations.size,
      proven: [...proven, ...placed(records)],
      not_proven: [...not_proven, ...(byRevoked ? [MADE_BY_REVOKED] : [])],
    };
  }

  #requireFiles({ files }: BundleManifest): void {
    const listed = new Map(files.map((file) => [file.path, file]));
    if (listed.size !== files.length) throw broken('the manifest lists a file twice');
    for (const [path, { bytes, sha256 }] of this.#files) {
      const said = listed.get(path);
      if (said?.bytes !== bytes || said.sha256 !== sha256) throw broken(`\`${path}\` is not as the manifest lists it`);
    }
    for (const path of listed.keys())
      if (!this.#files.has(path)) throw broken(`\`${path}\` is in the manifest and not in the archive`);
  }

  #requireDocuments({ missing }: BundleManifest, { named }: BundleRecords): void {
    for (const kind of ['policy', 'tool'] as const) {
      const said = new Set(missing.filter((each) => each.kind === kind).map(({ sha256 }) => sha256));
      for (const hash of named[kind])
        if (this.#documents[kind].has(hash) === said.has(hash))
          throw broken(`the ${kind} \`${hash}\` that records name is neither there nor listed as missing, or both`);
      for (const hash of [...this.#documents[kind], ...said])
        if (!named[kind].has(hash)) throw broken(`no record names the ${kind} \`${hash}\``);
    }
  }
}

const MADE_BY_REVOKED = 'who made the bundle, and when: the key that signed its manifest was revoked since';

const placed = ({ byRevoked }: BundleRecords): string[] =>
  byRevoked === 0
    ? []
    : [`${String(byRevoked)} records are by a key that was revoked since, and were recorded before the revocation`];

const RECORDS = 'every record is in the log that the checkpoint states, signed by a trusted key';
const OF_SESSION = {
  proven: [RECORDS, 'every outcome has its decision'],
  not_proven: [
    'that these are all records of the session: which operations belong to it is the word of who made the bundle',
  ],
} as const;

/** The log isn't in the order of time, so only the whole of it proves that nothing lies outside. */
function ofRange({ first_leaf, last_leaf, tree_size }: BundleManifest): Pick<VerifiedBundle, 'proven' | 'not_proven'> {
  if (first_leaf === 0 && last_leaf === tree_size - 1)
    return { proven: [RECORDS, 'the bundle has the whole log up to its checkpoint'], not_proven: [] };
  return {
    proven: [
      RECORDS,
      ...(first_leaf === null
        ? []
        : [`no record is missing between leaf ${String(first_leaf)} and leaf ${String(last_leaf)}`]),
    ],
    not_proven: [
      'that no record of the range was logged before or after these leaves: a bundle of the whole log proves it',
    ],
  };
}
