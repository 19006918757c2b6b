// SPDX-License-Identifier: Apache-2.0

/** An immutable node of a balanced search tree (AVL), which copies of the tree share. */
interface TreeNode<V> {
  readonly key: string;
  /** undefined for a key that was deleted */
  readonly value: V | undefined;
  readonly height: number;
  readonly left: TreeNode<V> | undefined;
  readonly right: TreeNode<V> | undefined;
}

/** Keys in the order of their writes, the last first; snapshots share the older part. */
interface Written {
  readonly key: string;
  readonly before: Written | undefined;
  readonly length: number;
}

/**
 * A map with snapshots of constant cost, however large it is, which also reports the keys written since two copies
 * diverged. A shell has a scope for each pipeline, branch and subshell: copying its whole state for each of them would
 * take quadratic time.
 */
export class SnapshotMap<V> {
  #root: TreeNode<V> | undefined;
  #written: Written | undefined;

  /** The value of the key, or undefined. */
  get(key: string): V | undefined {
    let node = this.#root;
    while (node !== undefined && node.key !== key) node = key < node.key ? node.left : node.right;
    return node?.value;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  set(key: string, value: V): void {
    this.#write(key, value);
  }

  delete(key: string): void {
    if (this.has(key)) this.#write(key, undefined);
  }

  /** An independent map with the same entries. */
  snapshot(): SnapshotMap<V> {
    const copy = new SnapshotMap<V>();
    copy.restore(this);
    return copy;
  }

  /** Replaces the content by that of the other. */
  restore(other: SnapshotMap<V>): void {
    this.#root = other.#root;
    this.#written = other.#written;
  }

  /** The keys that were written to either of the two since one was copied from the other, each once. */
  partedFrom(other: SnapshotMap<V>): ReadonlySet<string> {
    const keys = new Set<string>();
    let [one, two] = [this.#written, other.#written];
    while (one !== two) {
      if ((one?.length ?? 0) >= (two?.length ?? 0)) {
        if (one !== undefined) keys.add(one.key);
        one = one?.before;
      } else {
        if (two !== undefined) keys.add(two.key);
        two = two?.before;
      }
    }
    return keys;
  }

  #write(key: string, value: V | undefined): void {
    this.#root = inserted(this.#root, key, value);
    this.#written = { key, before: this.#written, length: (this.#written?.length ?? 0) + 1 };
  }
}

const heightOf = (node: TreeNode<unknown> | undefined): number => node?.height ?? 0;

function made<V>(
  { key, value }: Pick<TreeNode<V>, 'key' | 'value'>,
  left: TreeNode<V> | undefined,
  right: TreeNode<V> | undefined,
): TreeNode<V> {
  return { key, value, left, right, height: 1 + Math.max(heightOf(left), heightOf(right)) };
}

function inserted<V>(node: TreeNode<V> | undefined, key: string, value: V | undefined): TreeNode<V> {
  if (node === undefined) return made({ key, value }, undefined, undefined);
  if (key === node.key) return made({ key, value }, node.left, node.right);
  return key < node.key
    ? balanced(node, inserted(node.left, key, value), node.right)
    : balanced(node, node.left, inserted(node.right, key, value));
}

/** The node above two subtrees, rotated where one of them is more than one level higher. */
function balanced<V>(node: TreeNode<V>, left: TreeNode<V> | undefined, right: TreeNode<V> | undefined): TreeNode<V> {
  const tilt = heightOf(left) - heightOf(right);
  if (tilt > 1 && left !== undefined) {
    if (heightOf(left.left) >= heightOf(left.right) || left.right === undefined)
      return made(left, left.left, made(node, left.right, right));
    return made(left.right, made(left, left.left, left.right.left), made(node, left.right.right, right));
  }
  if (tilt < -1 && right !== undefined) {
    if (heightOf(right.right) >= heightOf(right.left) || right.left === undefined)
      return made(right, made(node, left, right.left), right.right);
    return made(right.left, made(node, left, right.left.left), made(right, right.left.right, right.right));
  }
  return made(node, left, right);
}
