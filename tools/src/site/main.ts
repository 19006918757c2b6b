// SPDX-License-Identifier: Apache-2.0
// `npm run docs`, and the check of that name in `npm test`: builds the documentation site and checks its links.
import { explain } from '../explain.ts';
import { checkout } from '../setup.ts';
import { buildSite, checkSite, siteFolder } from './build-site.ts';

try {
  await buildSite(checkout, process.env);
  checkSite(checkout, process.env);
  process.stdout.write(`${siteFolder(checkout)}\n`);
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
process.disconnect?.();
