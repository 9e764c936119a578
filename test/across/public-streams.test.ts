import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pass } from '../support/pipeline.ts';

// Others' recordings, read where they lie and never copied; a clone without them has nothing to read.
const folder = join(import.meta.dirname, '..', '..', '..', 'shared', 'public-streams');
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
/** The Claude session holds two runs, and the second ends on a refused write. */
const classes: Record<string, string> = {
  'pi-takopi-error.jsonl': 'provider',
  'claude-takopi-session.jsonl': 'permission',
};

describe.runIf(files.length > 0)('streams that others published', () => {
  it.each(files)('%s is understood to the last line', (name) => {
    const { outcome } = pass({ stdout: readFileSync(join(folder, name), 'utf8') });
    expect({
      dialect: outcome.provenance.dialect,
      unknown: outcome.provenance.unknown_lines,
      class: outcome.verdict.class,
    }).toEqual({
      dialect: name.split('-')[0],
      unknown: 0,
      class: classes[name] ?? 'success',
    });
  });
});
