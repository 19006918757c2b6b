// SPDX-License-Identifier: Apache-2.0
import { CONTROL_VERBS } from '../verbs/control.ts';
import { FILE_VERBS } from '../verbs/files.ts';
import { DIRECTORY_VERBS, INSPECTION_VERBS } from '../verbs/inspection.ts';
import { introspectionVerbs } from '../verbs/introspection.ts';
import { JSON_VERBS } from '../verbs/json.ts';
import { NETWORK_VERBS } from '../verbs/network.ts';
import { PROCESS_VERBS } from '../verbs/process.ts';
import { SYSTEM_VERBS } from '../verbs/system.ts';
import { TEXT_VERBS } from '../verbs/text.ts';
import { VALUE_VERBS } from '../verbs/values.ts';
import type { Verb } from './verb.ts';

const ALL: readonly Verb[] = [
  ...FILE_VERBS,
  ...INSPECTION_VERBS,
  ...DIRECTORY_VERBS,
  ...PROCESS_VERBS,
  ...NETWORK_VERBS,
  ...TEXT_VERBS,
  ...JSON_VERBS,
  ...SYSTEM_VERBS,
  ...VALUE_VERBS,
  ...CONTROL_VERBS,
  ...introspectionVerbs(() => VERBS.values()),
];

/** Every verb of mk8.shell, by its name. */
export const VERBS: ReadonlyMap<string, Verb> = new Map(ALL.map((verb) => [verb.name, verb]));
