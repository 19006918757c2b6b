// SPDX-License-Identifier: Apache-2.0
// Loaded before a process's own program (`--import`): its clock is behind by WRIT_TEST_MS_BEHIND.
const Real = Date;
const behindMs = Number(process.env['WRIT_TEST_MS_BEHIND'] ?? 0);
delete process.env['WRIT_TEST_MS_BEHIND'];
globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() - behindMs] : given));
  }

  static now() {
    return Real.now() - behindMs;
  }
};
