// SPDX-License-Identifier: Apache-2.0
//
// Parses attacker-controlled arguments into an object of I-JSON of bounded size, depth and number of values, or refuses
// them with the position of the fault. The time that these functions take grows with the arguments: `ArgumentsReader`
// decides where they run.
import { LIMITS } from '@writ/contract';
import { canonicalBytes, JsonError, parseIJson } from '@writ/digest';
import { decideSize } from './arguments-size.ts';
import { refusal, type Arguments, type Refusal } from './call.ts';

/** Arguments as bytes. */
export interface ArgumentsText {
  readonly bytes: Uint8Array;
  /** whether they are proposed now; arguments that were admitted once are read whatever the present bounds are */
  readonly isProposed: boolean;
}

/** Arguments without where they are stored. */
export type ReadValue = Omit<Arguments, 'ref'>;

/** Reads arguments that came by reference. */
export function readArgumentsText({ bytes, isProposed }: ArgumentsText): ReadValue | Refusal {
  return unlessMalformed(() => {
    const value = parseIJson(bytes, { depthMax: LIMITS.argsDepth.max, bytesMax: LIMITS.argsBytes.max });
    const unfit = unfitOf(value) ?? (isProposed ? decideSize(value as Record<string, unknown>) : null);
    return unfit ?? { value: value as Record<string, unknown>, canonical: canonicalBytes(value) };
  });
}

/** Reads arguments that came by value and aren't too many. */
export function readArgumentsValue(value: unknown): ReadValue | Refusal {
  return unlessMalformed(() => {
    const canonical = canonicalBytes(value);
    if (canonical.byteLength > LIMITS.argsInlineBytes.max) {
      const message = `arguments by value take at most ${LIMITS.argsInlineBytes.max} bytes`;
      return refusal('args.too_large', message, 'send them as `args_ref`');
    }
    return unfitOf(value) ?? { value: value as Record<string, unknown>, canonical };
  });
}

/** The canonical form alone, for callers that have the value already. */
export function writeArguments(value: unknown): Uint8Array | Refusal {
  const read = readArgumentsValue(value);
  return 'effect' in read ? read : read.canonical;
}

function unlessMalformed(read: () => ReadValue | Refusal): ReadValue | Refusal {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return refusal(error.reason === 'too_large' ? 'args.too_large' : 'args.invalid', error.message);
  }
}

function unfitOf(value: unknown): Refusal | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refusal('args.invalid', 'arguments are a JSON object');
  }
  if (!isDeeper(value, LIMITS.argsDepth.max)) return null;
  return refusal('args.invalid', `arguments nest at most ${LIMITS.argsDepth.max} levels deep`);
}

/** Returns whether objects and arrays nest more than `levels` deep. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
