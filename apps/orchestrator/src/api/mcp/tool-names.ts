// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { TOOLS, type Caller } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { tenantTools } from '../../calls/kernel/tenant-tools.ts';
import { OPERATION_TOOLS, SEARCH_TOOLS } from './tool-entries.ts';

const NAME = /^[A-Za-z0-9_]{1,64}$/;
const CHARS_MAX = 64;
/** Characters of a digest that tell tools apart whose ids give one name. */
const DIGEST_CHARS = 8;

/** The ids of Writ's own tools, which every tenant has. */
const OWN_IDS = [...TOOLS.keys(), ...[...OPERATION_TOOLS, ...SEARCH_TOOLS].map(({ name }) => name)];

const plain = (id: string): string => id.replaceAll(/[^A-Za-z0-9_]/g, '_');
const OWN_BY_NAME: ReadonlyMap<string, string> = new Map(OWN_IDS.map((id) => [plain(id), id]));

/**
 * The names by which tools are listed, by their ids. Popular clients reject dots and longer names, so each name
 * matches `^[A-Za-z0-9_]{1,64}$`: every other character of the id becomes `_`. Writ's own tools have these names
 * whatever a tenant registers. Of the others an id that is a name already stays as it is, and ids that give a name
 * that another tool has get the beginning of a digest of the id at their end.
 * @param ids of a tenant's tools; Writ's own may be among them
 */
export function toolNames(ids: Iterable<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>(OWN_IDS.map((id) => [id, plain(id)]));
  const taken = new Set(names.values());
  const others = [...new Set(ids)].filter((id) => !names.has(id)).sort();
  const give = (id: string, name: string): void => {
    names.set(id, name);
    taken.add(name);
  };
  for (const id of others) if (NAME.test(id) && !taken.has(id)) give(id, id);
  const unnamed = others.filter((id) => !names.has(id));
  const sharing = new Map<string, number>();
  for (const id of unnamed) sharing.set(plain(id), (sharing.get(plain(id)) ?? 0) + 1);
  const [alone, shared] = [[] as string[], [] as string[]];
  for (const id of unnamed)
    (NAME.test(plain(id)) && !taken.has(plain(id)) && sharing.get(plain(id)) === 1 ? alone : shared).push(id);
  for (const id of alone) give(id, plain(id));
  for (const id of shared) give(id, withDigest(id, taken));
  return names;
}

/** Only an id that was chosen for it has the name of another one's digest; then the next digest is tried. */
function withDigest(id: string, taken: ReadonlySet<string>): string {
  const begin = plain(id).slice(0, CHARS_MAX - DIGEST_CHARS - 1);
  for (let n = 0; ; n += 1) {
    const digest = createHash('sha256').update(`${n}:${id}`).digest('hex').slice(0, DIGEST_CHARS);
    const name = `${begin}_${digest}`;
    if (!taken.has(name)) return name;
  }
}

/** How long names of a tenant are kept, in milliseconds: a tool is called by a new name that much later at most. */
const NAMES_KEPT_MS = 1_000;
/** Tenants whose names are kept. A tenant has up to 1,024 tools. */
const TENANTS_MAX = 256;

interface KeptNames {
  readonly ids: Promise<ReadonlyMap<string, string>>;
  readonly since: number;
}

/**
 * Finds the tool that a client means by a name. INVARIANT (one listing a second): calls by names, whether a tool has
 * them or not, read a tenant's tools once in `NAMES_KEPT_MS`.
 */
export class ToolIds {
  readonly #kernel: KernelClient;
  readonly #monotonic: () => number;
  /** ids by their names, by tenant */
  readonly #names = new LRUCache<string, KeptNames>({ max: TENANTS_MAX });

  /** @param monotonic milliseconds */
  constructor(kernel: KernelClient, monotonic: () => number) {
    this.#kernel = kernel;
    this.#monotonic = monotonic;
  }

  /**
   * The id of a called tool. A name that no listing has is an id itself, with dots or without. One that no tool has is
   * returned as it is. Faults: those of `tool.list`.
   */
  async of(caller: Caller, name: string): Promise<string> {
    if (!NAME.test(name)) return name;
    return OWN_BY_NAME.get(name) ?? (await this.#idsOf(caller)).get(name) ?? name;
  }

  async #idsOf(caller: Caller): Promise<ReadonlyMap<string, string>> {
    const [now, kept] = [this.#monotonic(), this.#names.get(caller.tenant_id)];
    // They are as old as the beginning of their reading.
    if (kept !== undefined && now - kept.since < NAMES_KEPT_MS) return await kept.ids;
    const fresh = { ids: this.#read(caller), since: now };
    this.#names.set(caller.tenant_id, fresh);
    try {
      return await fresh.ids;
    } catch (error) {
      if (this.#names.peek(caller.tenant_id) === fresh) this.#names.delete(caller.tenant_id);
      throw error;
    }
  }

  /** Every role sees the same tools. */
  async #read(caller: Caller): Promise<ReadonlyMap<string, string>> {
    const ids = (await tenantTools(this.#kernel, caller)).map(({ tool }) => tool.tool_id);
    return new Map([...toolNames(ids)].map(([id, name]) => [name, id]));
  }
}
