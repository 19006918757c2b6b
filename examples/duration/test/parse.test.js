import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../src/index.js';

test('reads one unit', () => {
  assert.equal(parse('2d'), 172_800_000);
  assert.equal(parse('90m'), 5_400_000);
  assert.equal(parse('45s'), 45_000);
});

test('reads milliseconds', () => {
  assert.equal(parse('250ms'), 250);
});

test('adds several units', () => {
  assert.equal(parse('1h 30m'), 5_400_000);
  assert.equal(parse('1m500ms'), 60_500);
});

test('reads fractions', () => {
  assert.equal(parse('1.5h'), 5_400_000);
});

test('says where the text stops making sense', () => {
  assert.throws(() => parse('1h and a bit'), /unexpected `and a bit` at 3/);
  assert.throws(() => parse(''), /empty duration/);
});
