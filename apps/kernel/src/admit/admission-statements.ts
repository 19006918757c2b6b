// SPDX-License-Identifier: Apache-2.0
import { byteaArray, runStatement, textArray } from '@writ/database';
import type { RedeemedRows } from '../attempts/index.ts';
import type { Assignment } from '../ports/index.ts';
import { callKernel, type OperationRow, type TenantPool } from '../store/index.ts';

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

const valuesOf = ({ tenantId, change, args, salt, fingerprint }: Admission) => [
  tenantId,
  change,
  args,
  salt,
  fingerprint,
];

/** The statements, in the database. */
export function admissionStatements({ pool }: TenantPool): AdmissionStatements {
  return {
    alone: (admission) => callKernel(pool, 'admit', valuesOf(admission)),
    assigned: async (admission, to) => {
      const { rows } = await runStatement<
        RedeemedRows & { readonly admitted: OperationRow; readonly verdict: 'redeemed' | null }
      >(pool, {
        name: 'kernel.admit_assigned',
        text: 'SELECT * FROM kernel.admit_assigned($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
        values: [...valuesOf(admission), to.executor_id, to.nonce, to.most, to.permit_ttl_ms, to.lease_ms],
      });
      const { admitted, verdict, ...redeemed } = rows[0] as (typeof rows)[number];
      return { row: admitted, redeemed: verdict === null ? null : redeemed };
    },
    together: (admissions) =>
      callKernel(pool, 'admit_each', [
        textArray(admissions.map(({ tenantId }) => tenantId)),
        textArray(admissions.map(({ change }) => change)),
        byteaArray(admissions.map(({ args }) => args)),
        byteaArray(admissions.map(({ salt }) => salt)),
        byteaArray(admissions.map(({ fingerprint }) => fingerprint)),
      ]),
    dryRun: (admission, { sealed, hash }) => callKernel(pool, 'admit_dry_run', [...valuesOf(admission), sealed, hash]),
  };
}
