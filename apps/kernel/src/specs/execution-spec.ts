// SPDX-License-Identifier: Apache-2.0
import { openExecution, type TestExecution } from './test-executor.ts';
import { openTestKernel, type TestKernel } from './test-kernel.ts';

/** Opening makes a database of the spec's own. */
const OPENING_MS = 60_000;

/** Gives the specs of a file a kernel with its execution half, and closes both behind them. */
export function openExecutionSpec<K extends TestKernel = TestKernel>(
  opened: (on: { readonly kernel: K; readonly run: TestExecution }) => void,
  open?: () => Promise<K>,
): void {
  let close = (): Promise<void> => Promise.resolve();
  beforeAll(async () => {
    const kernel = await (open ?? (openTestKernel as unknown as () => Promise<K>))();
    const run = openExecution(kernel);
    close = async () => {
      await run.close();
      await kernel.close();
    };
    opened({ kernel, run });
  }, OPENING_MS);
  afterAll(async () => await close());
}
