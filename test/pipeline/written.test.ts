import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { recordLine } from '../../src/events/record-json.ts';
import { Thread } from '../../src/pipeline/thread.ts';
import { Redactor } from '../../src/redact/redactor.ts';

/** Texts that may be the beginning of a secret are held back, and come out with a later piece or at the end. */
const piece = fc.oneof(
  fc.constantFrom('-----', 'sk-', 'ghp_', 'AKIA0', '-----BEGIN ', 'hunter', 'hunter22', '\n', ' '),
  fc.string({ maxLength: 4 }),
);

it('a record is written as it is, whatever was held back of its text', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 8 }),
      fc.array(piece, { maxLength: 8 }),
      fc.option(fc.nat(5)),
      (texts, chunks, step) => {
        let now = 0;
        const told: { record: EventRecord; line: string | undefined }[] = [];
        const thread = new Thread({
          isWritten: true,
          redact: new Redactor({ values: ['hunter22hunter22'] }),
          newId: () => 'thread',
          clock: () => (now += step ?? 0),
          onRecord: (record) => void told.push({ record, line: recordLine(record)?.toString() }),
        });
        thread.emit({ type: 'turn.started' });
        thread.emit({ type: 'item.started', item_id: 'call', kind: 'command', name: 'bash', args: {} });
        for (const chunk of chunks) thread.emit({ type: 'item.output', item_id: 'call', chunk });
        for (const text of texts) thread.emit({ type: 'text.delta', block_id: 'block', text });
        thread.end('runwire');
        expect(told.map(({ line }) => line)).toEqual(told.map(({ record }) => `${JSON.stringify(record)}\n`));
      },
    ),
  );
});
