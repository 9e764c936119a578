import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { priceTable } from '../../src/outcome/price-source.ts';
import { inside } from '../cli/run/live.ts';

// A new version of the table has a new date: it is when the package was published.
it('names the table of prices that is installed', () => {
  const entry = createRequire(import.meta.url).resolve('@pydantic/genai-prices');
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(priceTable.version).toBe(version);
  expect(Number.isNaN(Date.parse(priceTable.as_of))).toBe(false);
});

it('--version --json tells it', async () => {
  const { stdout } = await inside(['--version', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ prices: priceTable });
});
