// SPDX-License-Identifier: Apache-2.0
import { actionDigest, argsHash, effectDigest } from './call-digests.ts';

describe('the bytes of the digests', () => {
  it('are what approvals, permits and receipts of version 1 are bound to', () => {
    const argsHashed = argsHash(
      Uint8Array.from({ length: 32 }, (_, i) => i),
      { path: 'src/a.ts', content: 'é\n', count: 1.5 },
    );
    expect(argsHashed).toBe('757da017cd0b4040be54233adb038fddff1acc0095327dd68e725b17720e64f2');
    expect(
      actionDigest({
        tool_id: 'fs.write',
        tool_definition_digest: '1'.repeat(64),
        args_hash: argsHashed,
        capability_token_id: 'cap_00000000000000000000000000',
        policy_hash: '2'.repeat(64),
        state_snapshot_id: `snap_${'3'.repeat(64)}`,
        image_digest: null,
      }),
    ).toBe('20169ce08239a8594605e4b8eee7e42c0673ff4b2f1a5fa19d0530020aa3e69d');
    expect(
      effectDigest({
        changes: [
          { path: 'b', before: '4'.repeat(64), after: null, mode: null },
          { path: 'a', before: null, after: '5'.repeat(64), mode: '644' },
        ],
        exit_status: 0,
        result_hash: '6'.repeat(64),
        requests: [],
      }),
    ).toBe('c4e3ba233c3a43825e5f789b688f93a93182e1d2d6fa2c806a0ec06cfc1a6aaf');
  });
});
