// SPDX-License-Identifier: Apache-2.0
import type { Assignment } from '../../execution/direct-dispatch/assigner.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { AssignedRows } from '../../foundation/database/functions/admission.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { RedeemedRows } from '../../foundation/rows/attempt-rows.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** An admission, as `kernel.admit` takes it. */
export interface Admission {
  readonly tenantId: string;
  /** the token that the call is made with */
  readonly tokenId: string;
  /** JSON */
  readonly change: string;
  readonly args: Uint8Array | null;
  readonly salt: Uint8Array;
  readonly fingerprint: Uint8Array | null;
}

/** What a dry run answers with, sealed. */
export interface Foreseen {
  readonly sealed: Uint8Array;
  readonly hash: string;
}

/** What became of an admission for one executor: `redeemed` is null where the call waits in its lane as any other. */
export interface AdmittedFor {
  readonly row: OperationRow;
  readonly redeemed: RedeemedRows | null;
}

/** How admissions are written: each resolves after COMMIT. */
export interface AdmissionStatements {
  /** one in a transaction of its own; rejects with why it can't be */
  alone(admission: Admission): Promise<OperationRow>;
  /** one in a transaction of its own, dispatched and redeemed in it where no other goes before */
  assigned(admission: Admission, to: Assignment): Promise<AdmittedFor>;
  /** all in one transaction, in this order; null for one of which nothing was written */
  together(admissions: readonly Admission[]): Promise<readonly (OperationRow | null)[]>;
  /** a dry run with what its tool foresees, in a transaction of its own */
  dryRun(admission: Admission, foreseen: Foreseen): Promise<OperationRow>;
}

const argumentsOf = ({ tenantId, change, args, salt, fingerprint }: Admission) => ({
  tenant: tenantId,
  p: change,
  args,
  salt,
  fingerprint,
});

/** The statements, in the database. */
export function admissionStatements({ pool }: TenantPool): AdmissionStatements {
  return {
    alone: (admission) => kernelSql.admit(pool, argumentsOf(admission)),
    assigned: async (admission, { executor_id, nonce, most, permit_ttl_ms, lease_ms }) => {
      const { admitted, verdict, ...redeemed } = (await kernelSql.admitAssigned(pool, {
        ...argumentsOf(admission),
        executor: executor_id,
        nonce,
        most,
        ttl_ms: permit_ttl_ms,
        lease_ms,
      })) as AssignedRows;
      return { row: admitted, redeemed: verdict === null ? null : redeemed };
    },
    together: (admissions) =>
      kernelSql.admitEach(pool, {
        tenants: admissions.map(({ tenantId }) => tenantId),
        p: admissions.map(({ change }) => change),
        args: admissions.map(({ args }) => args),
        salts: admissions.map(({ salt }) => salt),
        fingerprints: admissions.map(({ fingerprint }) => fingerprint),
      }),
    dryRun: (admission, { sealed, hash }) =>
      kernelSql.admitDryRun(pool, { ...argumentsOf(admission), result: sealed, result_hash: hash }),
  };
}
