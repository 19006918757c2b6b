// SPDX-License-Identifier: Apache-2.0
// VitePress reads this file. What it says is in tools/src/site.
import { siteConfiguration } from '../../tools/src/site/configuration.ts';

export default siteConfiguration(new URL('../../', import.meta.url).pathname.replace(/\/$/, ''));
