// SPDX-License-Identifier: Apache-2.0
// jest's environment for tests of whole processes: a test that fails tells what the processes of its stacks said last, since whoever reads the failure has nothing else of them.
import { TestEnvironment } from 'jest-environment-node';

/** Where `startStack` keeps the stacks that stand, in the global object of the tests. */
const STACKS = Symbol.for('writ.stacks');

export default class StackEnvironment extends TestEnvironment {
  async handleTestEvent({ name, test }) {
    if (name !== 'test_done' || test.errors.length === 0) return;
    for (const stack of this.global[STACKS] ?? []) {
      const told = new Error('what its processes said last');
      told.stack = `${told.message}:\n${stack.lastWords()}`;
      test.errors.push(told);
    }
  }
}
