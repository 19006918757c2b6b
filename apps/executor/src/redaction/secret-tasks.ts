// SPDX-License-Identifier: Apache-2.0
import { placeSecrets, type Placed } from '@writ/risk';
import type { SandboxResult } from '@writ/sandbox';
import { redactedOutput } from './redacted-output.ts';
import { SecretValues, type NamedValue } from './redactor.ts';
import { shellGrammar } from './shell-grammar.ts';

interface WithValues {
  readonly named: readonly NamedValue[];
}
export interface FindWork extends WithValues {
  readonly contents: readonly Uint8Array[];
}
export interface JsonWork extends WithValues {
  readonly value: unknown;
}
export interface BytesWork extends WithValues {
  readonly bytes: Uint8Array;
  readonly cut: boolean;
}
export interface OutputWork extends WithValues, Pick<SandboxResult, 'output' | 'truncatedBytes'> {}

/** The tasks that search and redact secrets, for worker threads. */
export const SECRET_TASKS = {
  /** the name of a value that one of the contents holds */
  'secrets.find': ({ named, contents }: FindWork): string | null => {
    const values = new SecretValues(named);
    for (const bytes of contents) {
      const name = values.nameIn(bytes);
      if (name !== null) return name;
    }
    return null;
  },
  'secrets.redact_json': ({ named, value }: JsonWork): unknown => new SecretValues(named).redactJson(value),
  'secrets.redact_bytes': ({ named, bytes, cut }: BytesWork): Uint8Array =>
    new Uint8Array(new SecretValues(named).redactBytes(bytes, cut)),
  'secrets.redact_output': ({ named, ...output }: OutputWork): Uint8Array =>
    new Uint8Array(redactedOutput(output, new SecretValues(named))),
  'secrets.place': async ({ command }: { readonly command: string }): Promise<Placed> =>
    placeSecrets(command, await shellGrammar()),
} as const;
export type SecretTasks = typeof SECRET_TASKS;
