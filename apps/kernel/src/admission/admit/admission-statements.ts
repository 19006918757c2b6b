// SPDX-License-Identifier: Apache-2.0
import type { Assignment } from '../../execution/direct-dispatch/assigner.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { AssignedRows } from '../../foundation/database/functions/admission.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { RedeemedRows } from '../../foundation/rows/attempt-rows.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** The parameters of `kernel.admit`. */
export interface AdmissionParameters {
  readonly tenantId: string;
  /** the capability token of the call */
  readonly tokenId: string;
  /** JSON */
  readonly change: string;
  readonly args: Uint8Array | null;
  readonly salt: Uint8Array;
  readonly fingerprint: Uint8Array | null;
}

/** The sealed result of a dry run. */
export interface SealedResult {
  readonly sealed: Uint8Array;
  readonly hash: string;
}

/**
 * The result of an admission with a direct dispatch. `redeemed` is null where the call waits in its lane like other
 * calls.
 */
export interface AssignedAdmission {
  readonly row: OperationRow;
  readonly redeemed: RedeemedRows | null;
}

/** The SQL statements that write admissions. Each resolves after COMMIT. */
export interface AdmissionStatements {
  /** Writes one admission in its own transaction. Rejects with the reason where it can't be written. */
  admitOne(admission: AdmissionParameters): Promise<OperationRow>;
  /**
   * Writes one admission in its own transaction, and dispatches and redeems the call there unless another call is due
   * first.
   */
  admitAndDispatch(admission: AdmissionParameters, to: Assignment): Promise<AssignedAdmission>;
  /**
   * Writes all in one transaction, in this order. The result is null for each admission of which nothing was written.
   */
  admitGroup(admissions: readonly AdmissionParameters[]): Promise<readonly (OperationRow | null)[]>;
  /** Writes a dry run with its foreseen result, in its own transaction. */
  admitDryRun(admission: AdmissionParameters, result: SealedResult): Promise<OperationRow>;
}

const parametersOf = ({ tenantId, change, args, salt, fingerprint }: AdmissionParameters) => ({
  tenant: tenantId,
  p: change,
  args,
  salt,
  fingerprint,
});

/** Runs the statements on the database. */
export function admissionStatements({ pool }: TenantPool): AdmissionStatements {
  return {
    admitOne: (admission) => kernelSql.admit(pool, parametersOf(admission)),
    admitAndDispatch: async (admission, { executor_id, nonce, most, permit_ttl_ms, lease_ms }) => {
      const { admitted, verdict, ...redeemed } = (await kernelSql.admitAssigned(pool, {
        ...parametersOf(admission),
        executor: executor_id,
        nonce,
        most,
        ttl_ms: permit_ttl_ms,
        lease_ms,
      })) as AssignedRows;
      return { row: admitted, redeemed: verdict === null ? null : redeemed };
    },
    admitGroup: (admissions) =>
      kernelSql.admitEach(pool, {
        tenants: admissions.map(({ tenantId }) => tenantId),
        p: admissions.map(({ change }) => change),
        args: admissions.map(({ args }) => args),
        salts: admissions.map(({ salt }) => salt),
        fingerprints: admissions.map(({ fingerprint }) => fingerprint),
      }),
    admitDryRun: (admission, { sealed, hash }) =>
      kernelSql.admitDryRun(pool, { ...parametersOf(admission), result: sealed, result_hash: hash }),
  };
}
