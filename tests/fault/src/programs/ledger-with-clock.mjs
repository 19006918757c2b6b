// SPDX-License-Identifier: Apache-2.0
// The ledger's own process with a clock that a test sets: every SIGUSR2 puts it back by an hour, and
// WRIT_TEST_HOURS_BEHIND sets how many hours it is behind at the start.
const HOUR_MS = 3_600_000;

const Real = Date;
let behindMs = Number(process.env['WRIT_TEST_HOURS_BEHIND'] ?? 0) * HOUR_MS;
delete process.env['WRIT_TEST_HOURS_BEHIND'];
globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() - behindMs] : given));
  }

  static now() {
    return Real.now() - behindMs;
  }
};
process.on('SIGUSR2', () => {
  behindMs += HOUR_MS;
  process.stdout.write(`the clock says ${new Date().toISOString()}\n`);
});

await import('../../../../apps/ledger/dist/main.js');
