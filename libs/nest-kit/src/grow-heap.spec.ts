// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';

const PROGRAM = 'const { growHeapFreely } = await import(process.argv[1]); growHeapFreely();';

// In another process, since the flag cannot be unset. `npm run bench -- --only ledger_latency,inline_call_c1` measures
// its benefit.
test('V8 accepts the flag that growHeapFreely sets', () => {
  const { stderr, status } = spawnSync(
    process.execPath,
    ['--no-warnings', '--input-type=module', '-e', PROGRAM, new URL('./grow-heap.ts', import.meta.url).href],
    { encoding: 'utf8' },
  );
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
});
