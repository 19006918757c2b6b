// SPDX-License-Identifier: Apache-2.0
// Specs of whole deployments. They build images and take minutes, so they run only when they are asked for:
//     npx vitest run --config tests/deploy/vitest.config.mjs
// WRIT_TEST_COMPOSE_ENV names a file with the variables of images that are there, and none are built then.
import { defineConfig } from 'vitest/config';
import root from '../../vitest.config.ts';

const { projects: _, ...test } = root.test;

export default defineConfig({
  ...root,
  test: { ...test, root: new URL('../..', import.meta.url).pathname, include: ['tests/deploy/src/**/*.spec.ts'], fileParallelism: false },
});
