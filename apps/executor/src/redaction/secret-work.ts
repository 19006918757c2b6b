// SPDX-License-Identifier: Apache-2.0
//
// Redaction of a call's output, result and contents: short ones inline, long ones on a worker thread.
import type { SandboxResult } from '@writ/sandbox';
import type { CallWork } from '../foundation/call-work.ts';
import { redactedOutput } from './redacted-output.ts';
import type { SecretTasks } from './secret-tasks.ts';
import { SCANNED_BYTES, type SecretValues } from './redactor.ts';

/** Runs long redactions on a worker thread. */
export type SecretWork = CallWork<SecretTasks>;

/**
 * Characters of all secrets together for which patterns are ready within a millisecond. For longer secrets all work
 * goes to a thread.
 */
const BRIEF_VALUES_CHARS = 1_024;
/**
 * The time limit of one redaction, which may search hundreds of mebibytes of a delta. It is not part of the call's own
 * time, and a call without secrets needs none.
 */
const REDACT_MS = 60_000;
/** Contents that are searched in one task, in bytes, except that a longer one goes by itself. */
const BATCH_BYTES = 8 * 1024 * 1024;

const isBrief = (values: SecretValues, bytes: number): boolean =>
  bytes <= SCANNED_BYTES && values.named.reduce((sum, [, value]) => sum + value.length, 0) <= BRIEF_VALUES_CHARS;

/** The text without values. @param cut whether it was cut off, perhaps within a value */
export async function withoutValues(
  values: SecretValues | undefined,
  text: string,
  cut: boolean,
  work: SecretWork,
): Promise<string> {
  if (values?.any !== true || text === '') return text;
  return Buffer.from(await bytesWithoutValues(values, Buffer.from(text, 'utf8'), cut, work)).toString('utf8');
}

/** The bytes without values. @param cut whether they were cut off, perhaps within a value */
export async function bytesWithoutValues(
  values: SecretValues | undefined,
  bytes: Buffer,
  cut: boolean,
  work: SecretWork,
): Promise<Buffer> {
  if (values?.any !== true) return bytes;
  if (isBrief(values, bytes.length)) return values.redactBytes(bytes, cut);
  return Buffer.from(await work.run('secrets.redact_bytes', { named: values.named, bytes, cut }, REDACT_MS));
}

/** The output of a command without values. */
export async function outputWithoutValues(
  values: SecretValues | undefined,
  { output, truncatedBytes }: Pick<SandboxResult, 'output' | 'truncatedBytes'>,
  work: SecretWork,
): Promise<Buffer> {
  if (values?.any !== true) return Buffer.concat(output.map(({ bytes }) => bytes));
  const bytes = output.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
  // Both streams together, and each by itself.
  if (isBrief(values, 2 * bytes)) return redactedOutput({ output, truncatedBytes }, values);
  return Buffer.from(
    await work.run('secrets.redact_output', { named: values.named, output, truncatedBytes }, REDACT_MS),
  );
}

/** JSON without values. */
export async function jsonWithoutValues(values: SecretValues, value: unknown, work: SecretWork): Promise<unknown> {
  if (!values.any) return value;
  if (isBrief(values, Buffer.byteLength(JSON.stringify(value ?? null)))) return values.redactJson(value);
  return await work.run('secrets.redact_json', { named: values.named, value }, REDACT_MS);
}

/** The name of a value that any of the contents holds, or null. */
export async function valueWithin(
  values: SecretValues,
  contents: readonly Uint8Array[],
  work: SecretWork,
): Promise<string | null> {
  if (!values.any) return null;
  const sum = contents.reduce((bytes, { length }) => bytes + length, 0);
  if (isBrief(values, sum)) return firstOf(contents.map((bytes) => values.nameIn(bytes)));
  for (const batch of batchesOf(contents)) {
    const name = await work.run('secrets.find', { named: values.named, contents: batch }, REDACT_MS);
    if (name !== null) return name;
  }
  return null;
}

const firstOf = (names: readonly (string | null)[]): string | null => names.find((name) => name !== null) ?? null;

function* batchesOf(contents: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for (const content of contents) {
    if (batch.length > 0 && bytes + content.length > BATCH_BYTES) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(content);
    bytes += content.length;
  }
  if (batch.length > 0) yield batch;
}
