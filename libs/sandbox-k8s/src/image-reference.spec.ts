// SPDX-License-Identifier: Apache-2.0
import { isImage, referencesFrom } from './image-reference.ts';

const [A, B] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];

test('the configured image is pulled by its reference, and others of the same repository by their digests', () => {
  const referenceOf = referencesFrom('registry.example:5000/team/sandbox:1.2', A);
  expect(referenceOf(A)).toBe('registry.example:5000/team/sandbox:1.2');
  expect(referenceOf(B)).toBe(`registry.example:5000/team/sandbox@${B}`);
  expect(referencesFrom(`sandbox:1.2@${A}`, A)(A)).toBe(`sandbox:1.2@${A}`);
  expect(() => referenceOf('sandbox:1.2')).toThrow('no such image');
});

test.each(['sandbox', 'sandbox:latest'])('`%s` is mutable and refused', (reference) => {
  expect(() => referencesFrom(reference, A)).toThrow('a tag that never moves');
});

test('an invalid reference is refused, and so is one with another digest than permits have', () => {
  expect(() => referencesFrom(`sandbox@${B}`, A)).toThrow('both must name the same digest');
  expect(() => referencesFrom('Sandbox:1', A)).toThrow('is no reference of an image');
});

test("a runtime's image name matches a digest where it ends with the whole digest", () => {
  expect(
    [A, `registry.example/sandbox@${A}`, `docker-pullable://registry.example/sandbox@${A}`].map((id) => isImage(id, A)),
  ).toEqual([true, true, true]);
  expect(['', B, `x@${B}`, `x@${A}b`, `${A}@${B}`, A.slice(0, -1)].map((id) => isImage(id, A))).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
  // An empty digest matches no image.
  expect(isImage('anything', '')).toBe(false);
});
