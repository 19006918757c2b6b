// SPDX-License-Identifier: Apache-2.0
// Runs without a connection, as all of `writ verify` does.
import type { BundleManifest } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { KeyHistoryFile } from '../key-history-file.ts';
import { readCheckpoint } from '../log/read-checkpoint.ts';
import type { Trust } from '../trust.ts';
import { invalidBundle, MANIFEST, readBundle, type BundleFile } from './bundle-archive.ts';
import { openManifest, type OpenedManifest } from './bundle-manifest.ts';
import { BundleRecords } from './bundle-records.ts';

/** Receipts of key records, one a line; only in bundles of logs that have some. */
const KEY_HISTORY = 'key-history.ndjson';
const DOCUMENT = /^(policies|tools)\/([0-9a-f]{64})\.json$/;

export interface VerifiedBundle {
  readonly manifest: BundleManifest;
  readonly operations: number;
  /** what the signatures and the log prove, and what rests on the word of the bundle's maker */
  readonly proven: readonly string[];
  readonly not_proven: readonly string[];
}

/**
 * Verifies a bundle from the keys that the caller trusts: every receipt, the hash of every document, the manifest's
 * signature, and that the manifest lists exactly these files. Keys inside the bundle are not trusted for it. Signatures
 * of revoked keys are judged by the key history in the bundle and by the caller's own.
 *
 * @throws CliError `verify.<check>`, `verify.bundle`
 */
export async function verifyBundle(file: string, trust: Trust, history: KeyHistoryFile): Promise<VerifiedBundle> {
  const reading = new BundleReading(trust, history);
  for await (const each of readBundle(file)) reading.add(each);
  return reading.conclude();
}

class BundleReading {
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

  add({ path, bytes }: BundleFile): void {
    if (path === MANIFEST) {
      this.#manifest = openManifest(bytes, this.#requireRecords().keys.recordKeys);
      return;
    }
    const sha256 = sha256Hex(bytes);
    this.#files.set(path, { bytes: bytes.length, sha256 });
    const [, folder, hash = ''] = DOCUMENT.exec(path) ?? [];
    if (path === 'checkpoint.txt') this.#open(bytes.toString('utf8'));
    else if (path === KEY_HISTORY)
      this.#requireRecords().addHistory(new KeyHistoryFile(`\`${path}\``, bytes.toString('utf8')));
    else if (path.startsWith('receipts/'))
      this.#logId = this.#requireRecords().add(path, bytes.toString('utf8'), this.#logId);
    else if (folder !== undefined) {
      if (sha256 !== hash) throw invalidBundle(`\`${path}\` doesn't hash to its name`);
      this.#documents[folder === 'tools' ? 'tool' : 'policy'].add(hash);
    }
  }

  #open(note: string): void {
    this.#checkpoint = readCheckpoint(note, this.#trust, '`checkpoint.txt`');
    const terms = this.#trust.termsOf(note);
    this.#records = new BundleRecords(terms, note, this.#history.historyOf(note, terms));
  }

  #requireRecords(): BundleRecords {
    if (this.#records === undefined) throw invalidBundle("the archive doesn't begin with its checkpoint");
    return this.#records;
  }

  /** Compares the manifest with the contents. */
  conclude(): VerifiedBundle {
    const [records, opened, checkpoint] = [this.#requireRecords(), this.#manifest, this.#checkpoint];
    if (opened === undefined || checkpoint === undefined) throw invalidBundle('the archive has no manifest');
    const { manifest, byRevoked } = opened;
    this.#requireFiles(manifest);
    this.#requireDocuments(manifest, records);
    if (manifest.tree_size !== checkpoint.treeSize || !checkpoint.origin.endsWith(`/${manifest.log_id}`))
      throw invalidBundle('the manifest is of another checkpoint than the one in the archive');
    if (manifest.records !== records.count || (this.#logId !== null && this.#logId !== manifest.log_id))
      throw invalidBundle('the manifest is of other records than those in the archive');
    const isRange = manifest.session_id === null;
    if (isRange && (manifest.first_leaf !== records.first || manifest.last_leaf !== records.last))
      throw invalidBundle('the manifest is of other leaves than those in the archive');
    if (isRange) records.requireRange(manifest);
    else records.requireDecisions();
    const { proven, not_proven } = isRange ? ofRange(manifest) : OF_SESSION;
    return {
      manifest,
      operations: records.operations.size,
      proven: [...proven, ...revokedNotes(records)],
      not_proven: [...not_proven, ...(byRevoked ? [MADE_BY_REVOKED] : [])],
    };
  }

  #requireFiles({ files }: BundleManifest): void {
    const listed = new Map(files.map((file) => [file.path, file]));
    if (listed.size !== files.length) throw invalidBundle('the manifest lists a file twice');
    for (const [path, { bytes, sha256 }] of this.#files) {
      const listing = listed.get(path);
      if (listing?.bytes !== bytes || listing.sha256 !== sha256)
        throw invalidBundle(`\`${path}\` is not as the manifest lists it`);
    }
    for (const path of listed.keys())
      if (!this.#files.has(path)) throw invalidBundle(`\`${path}\` is in the manifest and not in the archive`);
  }

  #requireDocuments({ missing }: BundleManifest, { referenced }: BundleRecords): void {
    for (const kind of ['policy', 'tool'] as const) {
      const missingHashes = new Set(missing.filter((each) => each.kind === kind).map(({ sha256 }) => sha256));
      for (const hash of referenced[kind])
        if (this.#documents[kind].has(hash) === missingHashes.has(hash))
          throw invalidBundle(
            `the ${kind} \`${hash}\` that records name is neither there nor listed as missing, or both`,
          );
      for (const hash of [...this.#documents[kind], ...missingHashes])
        if (!referenced[kind].has(hash)) throw invalidBundle(`no record names the ${kind} \`${hash}\``);
    }
  }
}

const MADE_BY_REVOKED = 'who made the bundle, and when: the key that signed its manifest was revoked later';

const revokedNotes = ({ byRevoked }: BundleRecords): string[] =>
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

/** The log isn't ordered by time, so only the whole log proves that no record of the range is missing. */
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
