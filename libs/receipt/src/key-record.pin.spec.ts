// SPDX-License-Identifier: Apache-2.0
import { sha256Hex } from '@writ/digest';
import { formatKeyEvent } from './key-record.ts';
import { OTHER_SIGNER, RECORD, RECORD_SIGNER, RECORDED_AT } from './sample.contract.ts';
import { sealRecord } from './seal.ts';

test('a key record has exactly these bytes', () => {
  const change = formatKeyEvent({
    event: 'revoked',
    purpose: 'record',
    keyid: RECORD_SIGNER.keyid,
    x: RECORD_SIGNER.publicJwk.x,
    from: RECORDED_AT,
  });
  expect(change).toEqual({
    verb: 'key_revoked',
    subject:
      'record.UDDReOZl1ipXAfp9wYsm13sDBMK5og--QWdBjzuf6o4.iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w.1767225600000',
    digest: null,
  });
  const record = {
    ...RECORD,
    kind: 'key' as const,
    kernel_key_id: OTHER_SIGNER.keyid,
    operation_id: null,
    phase: null,
    tx_outcome: null,
    new_snapshot_id: null,
    change,
  };
  expect(sha256Hex(sealRecord(record, OTHER_SIGNER).payloadBytes)).toBe(
    'c064b8e8496ff6e60447f713ac1e8784300f8e4bc884693b8e724c0723b50c6e',
  );
});
