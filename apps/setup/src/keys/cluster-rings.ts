// SPDX-License-Identifier: Apache-2.0
import { ApiException, type V1ConfigMap, type V1Secret } from '@kubernetes/client-node';
import { PURPOSES, type Purpose } from '@writ/signing';
import { Failure, reasonOf } from '../failure.ts';
import type { ClusterPlace } from './cluster-store.ts';
import { PUBLISHED } from './layout.ts';
import type { RingChange, RingTexts } from './change-rings.ts';

const CONFLICT = 409;
const FORBIDDEN = [401, 403];
const NOT_FOUND = 404;

/** Which Secret holds the ring of a purpose. */
const SECRET_OF: Readonly<Record<Purpose, 'kernel' | 'ledger'>> = { permit: 'kernel', record: 'kernel', checkpoint: 'ledger' };

type RingSecrets = Readonly<Record<'kernel' | 'ledger', V1Secret>>;

/**
 * The rings of a release, in Secrets, with what is published of them in a ConfigMap.
 * INVARIANT (known before it signs): the ConfigMap is written first. A run that ends between the two leaves a public key
 * that nothing is signed by; the next change publishes without it.
 * INVARIANT (no lost update): both are written only as they were read.
 */
export class ClusterRings {
  readonly #place: ClusterPlace;

  constructor(place: ClusterPlace) {
    this.#place = place;
  }

  /** Changes the ring of one purpose. Answers what the change says to a person. @throws Failure */
  async change(decide: (texts: RingTexts) => RingChange): Promise<string> {
    const secrets = await this.#secrets();
    const open = await this.#asked('read', this.#nameOf('public-keys'), (request) => this.#place.api.readNamespacedConfigMap(request));
    const { published, purpose, ring, told } = decide(textsIn(secrets));
    await this.#publish(open, published);
    const secret = secrets[SECRET_OF[purpose]];
    const data = { ...secret.data, [`${purpose}.json`]: Buffer.from(ring).toString('base64') };
    await this.#asked('update', secret.metadata?.name ?? '', (request) =>
      this.#place.api.replaceNamespacedSecret({ ...request, body: { ...secret, data } }),
    );
    return told;
  }

  /** Resolves with the rings as they are. @throws Failure */
  async read(): Promise<RingTexts> {
    return textsIn(await this.#secrets());
  }

  async #secrets(): Promise<RingSecrets> {
    return { kernel: await this.#secret('kernel'), ledger: await this.#secret('ledger') };
  }

  async #publish(open: V1ConfigMap, published: RingChange['published']): Promise<void> {
    const names = Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[];
    const data = { ...open.data, ...Object.fromEntries(names.map((name) => [PUBLISHED[name], published[name]])) };
    await this.#asked('update', open.metadata?.name ?? '', (request) =>
      this.#place.api.replaceNamespacedConfigMap({ ...request, body: { ...open, data } }),
    );
  }

  #secret(name: 'kernel' | 'ledger'): Promise<V1Secret> {
    return this.#asked('read', this.#nameOf(name), (request) => this.#place.api.readNamespacedSecret(request));
  }

  #nameOf(set: string): string {
    return `${this.#place.prefix}-${set}`;
  }

  async #asked<T>(verb: 'read' | 'update', name: string, ask: (request: { name: string; namespace: string }) => Promise<T>): Promise<T> {
    const { namespace } = this.#place;
    try {
      return await ask({ name, namespace });
    } catch (error) {
      throw explained(verb, `\`${name}\` in namespace \`${namespace}\``, error);
    }
  }
}

const textsIn = (secrets: RingSecrets): RingTexts =>
  Object.fromEntries(PURPOSES.map((purpose) => [purpose, ringIn(secrets[SECRET_OF[purpose]], purpose)])) as RingTexts;

function ringIn({ data, metadata }: V1Secret, purpose: Purpose): string {
  const found = data?.[`${purpose}.json`];
  if (found === undefined) throw new Failure(`the Secret \`${metadata?.name ?? ''}\` has no entry \`${purpose}.json\`: run \`setup keys\` first`);
  return Buffer.from(found, 'base64').toString('utf8');
}

function explained(verb: 'read' | 'update', what: string, error: unknown): Failure {
  const code = error instanceof ApiException ? error.code : null;
  if (code === CONFLICT) return new Failure(`${what} was changed by somebody else meanwhile: look at it, and run this again`, error);
  if (code === NOT_FOUND) return new Failure(`there is no ${what}: is \`--prefix\` the name of the release?`, error);
  if (code !== null && FORBIDDEN.includes(code)) {
    return new Failure(`the pod's service account may not ${verb} ${what}: bind it to a Role with the verbs get and update on it`, error);
  }
  return new Failure(`the API can't ${verb} ${what} (${code === null ? reasonOf(error) : `status ${String(code)}`}): run this again`, error);
}
