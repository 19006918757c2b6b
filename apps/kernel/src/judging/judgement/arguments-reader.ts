// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type BlobRef, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { parseJson } from '@writ/digest';
import { ARGUMENTS_ATTEMPT, openContent, SEAL_BYTES } from '@writ/sealing';
import type { TaskRunner } from '@writ/worker-pool';
import type { JudgingTasks } from '../worker-tasks.ts';
import { openArguments, type CallVault, type NamedCall } from '../../evidence/payload/index.ts';
import type { ArgumentsRef } from '../../foundation/rows/content-ref.ts';
import { decideSize, jsonSizeOf } from './arguments-size.ts';
import { refusal, type Arguments, type Refusal } from './call.ts';
import { readArgumentsText, readArgumentsValue, type ArgumentsText, type ReadValue } from './read-arguments.ts';

/** Arguments as they were sent: by value, or by reference to a blob that was stored first. */
export interface SentArguments {
  readonly tenant_id: TenantId;
  readonly operation_id: string;
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly args_ref: BlobRef | null;
  /** the key that the blob is sealed under; absent: it is stored in clear */
  readonly args_key?: Buffer | undefined;
}

/** The stored arguments of an admitted call: sealed by value, or by reference; neither once they were erased. */
export interface StoredArguments {
  readonly args: Buffer | null;
  readonly args_ref: ArgumentsRef | null;
}

export interface ArgumentsParts {
  readonly blobs: BlobStore;
  readonly vault: { readonly calls: CallVault };
  /** null: all of it is read on the event loop, for programs of one user and for specs */
  readonly work: TaskRunner<JudgingTasks> | null;
}

/** Text up to this size is read on the event loop: the worst, members whose names have escapes, takes 5 ms. */
const INLINE_BYTES_MAX = 16 * 1024;
/**
 * Arguments by value with so many values and names are serialized on the event loop: that takes 3 ms, with the largest
 * texts.
 */
const INLINE_VALUES_MAX = 2_000;
/** The worst arguments take 300 ms on a free processor; this is for a busy one, in milliseconds. */
const READ_WALL_MS = 3_000;

const ERASED = refusal('args.invalid', 'the arguments of the call were erased');
const TOO_LONG = refusal(
  LIMITS.argsValues.fault,
  'the arguments take too long to read',
  'put larger contents into the workspace as files, and name those',
);

/**
 * Reads the arguments of calls. INVARIANT (the loop is everybody's): the event loop reads only what is known to take 5
 * ms at most; a worker thread reads the rest.
 */
export class ArgumentsReader {
  readonly #blobs: BlobStore;
  readonly #vault: CallVault;
  readonly #work: TaskRunner<JudgingTasks> | null;

  constructor({ blobs, vault, work }: ArgumentsParts) {
    this.#blobs = blobs;
    this.#vault = vault.calls;
    this.#work = work;
  }

  /**
   * Reads attacker-controlled arguments. @throws Fault only where our own store fails, and `overloaded` where too many
   * calls wait
   */
  async readProposed(sent: SentArguments): Promise<Arguments | Refusal> {
    const { args, args_ref } = sent;
    if ((args === null) === (args_ref === null)) {
      return refusal('args.invalid', 'arguments are needed, either as `args` or as `args_ref`');
    }
    const read =
      args_ref === null ? await this.#readValue(sent.tenant_id, args) : await this.#readReference(sent, args_ref);
    return 'effect' in read ? read : { ...read, ref: args_ref };
  }

  /** The arguments of an admitted call, or a refusal where they were erased or lost meanwhile. */
  async readStored(call: NamedCall, kept: StoredArguments): Promise<Arguments | Refusal> {
    try {
      return (await this.#readStored(call, kept)) ?? ERASED;
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'blob.missing') throw error;
      return refusal('args.invalid', 'the content that holds the arguments is missing');
    }
  }

  /**
   * The value of the arguments of an admitted call; null once they were erased. @throws Fault `blob.missing`; Error
   * where they can't be read, although they could be when the call was admitted
   */
  async readAdmittedValue(call: NamedCall, kept: StoredArguments): Promise<Readonly<Record<string, unknown>> | null> {
    const read = await this.#readStored(call, kept);
    if (read === null) return null;
    if ('effect' in read) throw new Error(`the arguments of \`${call.operation_id}\` can't be read: ${read.message}`);
    return read.value;
  }

  /**
   * The arguments of an admitted call for a person to see; null once they were erased, and where they take too long to
   * read. @throws where they can't be read (`isUnreadable`)
   */
  async readShown(call: NamedCall, kept: StoredArguments): Promise<Arguments | null> {
    const read = await this.#readStored(call, kept);
    return read === null || 'effect' in read ? null : read;
  }

  async #readStored(call: NamedCall, { args, args_ref }: StoredArguments): Promise<Arguments | Refusal | null> {
    if (args_ref === null) {
      const clear = args === null ? null : await this.#vault.open(call.tenant_id, call.operation_id, 'args', args);
      // They were sealed in their canonical form.
      return clear === null ? null : { value: objectOf(clear), canonical: clear, ref: null };
    }
    const bytes = await openArguments(this.#vault, this.#blobs, call, args_ref);
    const read = bytes === null ? null : await this.#readText(call.tenant_id, { bytes, isProposed: false });
    return read === null || 'effect' in read ? read : { ...read, ref: args_ref };
  }

  async #readValue(tenantId: string, value: SentArguments['args']): Promise<ReadValue | Refusal> {
    const unfit = typeof value === 'object' && value !== null ? decideSize(value) : null;
    if (unfit !== null) return unfit;
    const isSmall = !jsonSizeOf(value, INLINE_VALUES_MAX, INLINE_VALUES_MAX).isMore;
    if (isSmall || this.#work === null) return readArgumentsValue(value);
    const canonical = await this.#inThread(tenantId, 'args.write', value);
    return 'effect' in canonical ? canonical : { value: value as Record<string, unknown>, canonical };
  }

  async #readText(tenantId: string, text: ArgumentsText): Promise<ReadValue | Refusal> {
    if (this.#work === null || text.bytes.byteLength <= INLINE_BYTES_MAX) return readArgumentsText(text);
    return await this.#inThread(tenantId, 'args.read', text);
  }

  async #inThread<K extends 'args.read' | 'args.write'>(
    tenantId: string,
    task: K,
    input: Parameters<JudgingTasks[K]>[0],
  ): Promise<ReturnType<JudgingTasks[K]> | Refusal> {
    try {
      const run = this.#work?.run(task, input as never, { tenantId, wallMs: READ_WALL_MS });
      return (await run) as ReturnType<JudgingTasks[K]>;
    } catch (error) {
      if (error instanceof Fault && error.code === 'limit.exceeded') return TOO_LONG;
      throw error;
    }
  }

  async #readReference(sent: SentArguments, ref: BlobRef): Promise<ReadValue | Refusal> {
    const { argsBytes } = LIMITS;
    if (ref.size > argsBytes.max) return refusal('args.too_large', `arguments take at most ${argsBytes.max} bytes`);
    const stored = await blobOf(this.#blobs, sent.tenant_id, ref.sha256);
    // The caller states the size; a longer blob must not get past the bound above.
    if (stored?.byteLength !== ref.size + (sent.args_key === undefined ? 0 : SEAL_BYTES)) {
      return refusal('args.invalid', 'there is no content of that hash and size for `args_ref`', 'put it first');
    }
    const bytes = openedArguments(sent, stored);
    if (bytes !== null) return await this.#readText(sent.tenant_id, { bytes, isProposed: true });
    const message = 'the content of `args_ref` is not sealed as the arguments of this call under `args_key`';
    return refusal('args.invalid', message);
  }
}

/** At most 64 KiB that this process wrote, of at most `argsValues` values: some milliseconds. */
const objectOf = (clear: Buffer): Record<string, unknown> =>
  parseJson(clear.toString('utf8')) as Record<string, unknown>;

function openedArguments({ tenant_id, operation_id, args_key }: SentArguments, stored: Uint8Array): Uint8Array | null {
  if (args_key === undefined) return stored;
  const seal = { key: args_key, tenantId: tenant_id, operationId: operation_id, attempt: ARGUMENTS_ATTEMPT };
  try {
    return openContent(seal, 'args', stored);
  } catch (error) {
    if (error instanceof Fault && error.code === 'blob.corrupt') return null;
    throw error;
  }
}

async function blobOf(blobs: BlobStore, tenantId: TenantId, sha256: string): Promise<Uint8Array | null> {
  try {
    return await blobs.get(tenantId, sha256);
  } catch (error) {
    if (error instanceof Fault && error.code === 'blob.missing') return null;
    throw error;
  }
}
