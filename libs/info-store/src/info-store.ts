// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (staged is invisible): no query and no figure shows anything of a change before it is published.
// INVARIANT (all or nothing): a published change is visible whole, and from one version of the store on.
// INVARIANT (what was staged is published): a change is sealed when it is staged. Its digest covers it, and whoever
// publishes it names that digest and the operation that staged it.
import type { TenantId } from '@writ/contract';
import type { PreparedChange } from './document.ts';
import type { Query, QueryResult } from './query.ts';
import type { StoreDefinition } from './store-definition.ts';

/** A change that waits to be published. */
export interface StagedChange {
  /** names it; of each attempt of an operation another one */
  readonly change_id: string;
  readonly store_id: string;
  /** of `PreparedChange`; hex */
  readonly digest: string;
  readonly upserts: number;
  readonly deletes: number;
  readonly chunks: number;
}

/** What a store holds at one version. */
export interface StoreStats {
  readonly definition: StoreDefinition;
  /** 0 for a new store; each published change adds 1 */
  readonly version: number;
  readonly documents: number;
  readonly chunks: number;
}

/** Information stores, for an executor. */
export abstract class InfoStore {
  /**
   * Stages a change of an operation, and resolves once it is durable. Each call makes a new change, so a second attempt
   * never meets what the first one left. The change MUST stay invisible until it is published.
   * @throws InfoStoreError `store_unknown`; `model_differs` if the vectors aren't of the store's model
   */
  abstract stage(
    tenantId: TenantId,
    operationId: string,
    change: PreparedChange,
    signal?: AbortSignal,
  ): Promise<StagedChange>;

  /**
   * Gives up a staged change, so that it can no longer be published. It is fine if there is no such change, and a
   * published one stays published.
   */
  abstract discard(tenantId: TenantId, changeId: string): Promise<void>;

  /**
   * Searches one version of a store. Implementations MUST NOT block the event loop, MUST bound their memory whatever
   * the size of the store, and MUST end when the signal aborts, with its reason.
   * @throws InfoStoreError `store_unknown`; `model_differs` if the embedding isn't of the store's model
   */
  abstract query(tenantId: TenantId, storeId: string, query: Query, signal?: AbortSignal): Promise<QueryResult>;

  /** The figures of a store, or null if the tenant has none of that id. */
  abstract stats(tenantId: TenantId, storeId: string): Promise<StoreStats | null>;

  /** Ends threads that it holds; the caller's connections stay. */
  abstract close(): Promise<void>;
}

/** Names a staged change, and what its publisher decided on. */
export interface PublishRequest {
  readonly operationId: string;
  readonly changeId: string;
  readonly digest: string;
}

export interface PublishedChange {
  readonly storeId: string;
  /** the version from which on the change is visible */
  readonly version: number;
}

/** Information stores, for the kernel: what exists, and what is visible. */
export abstract class InfoStorePublisher {
  /**
   * Creates an empty store. It is fine if it exists with the same definition.
   * @throws InfoStoreError `store_differs`
   */
  abstract register(tenantId: TenantId, definition: StoreDefinition): Promise<void>;

  /** Removes a store with all of its documents. Answers whether there was one. */
  abstract unregister(tenantId: TenantId, storeId: string): Promise<boolean>;

  /**
   * Makes a staged change visible, in work that depends on the number of its documents alone, and not on their length.
   * A change that its operation has published already is fine. Of two changes of a document, the one that is published
   * last is visible.
   * @throws InfoStoreError `change_unknown`, `change_differs`, `store_unknown`
   */
  abstract publish(tenantId: TenantId, request: PublishRequest): Promise<PublishedChange>;

  /**
   * Removes what nothing shows any more: versions that were replaced, discarded changes, those of removed stores, and
   * changes that were staged before `before` and never published. The caller MUST NOT name a time at which an operation
   * staged a change that it may still publish. Returns the number of removed documents, at most `limit`.
   */
  abstract sweep(tenantId: TenantId, before: Date, limit: number): Promise<number>;
}
