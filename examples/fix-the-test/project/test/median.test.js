import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median } from '../median.js';

test('an odd count', () => assert.equal(median([3, 1, 2]), 2));
test('an even count', () => assert.equal(median([4, 1, 3, 2]), 2.5));
test('numbers of different lengths', () => assert.equal(median([10, 9, 100]), 10));
