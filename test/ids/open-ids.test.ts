import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OpenIds } from '../../src/ids/open-ids.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd', '');

it('holds the same as a map, in the same order', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('set' as const), id, value: fc.integer() }),
    fc.record({ do: fc.constant('delete' as const), id }),
    fc.record({ do: fc.constant('clear' as const), id }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [open, map] = [new OpenIds<number>(), new Map<string, number>()];
      for (const each of steps) {
        if (each.do === 'set') {
          open.set(each.id, each.value);
          map.set(each.id, each.value);
        } else if (each.do === 'delete') {
          open.delete(each.id);
          map.delete(each.id);
        } else {
          open.clear();
          map.clear();
        }
        expect([...open.keys()]).toEqual([...map.keys()]);
        expect([...open.keys()].map((key) => open.get(key))).toEqual([...map.values()]);
        expect([open.size, open.has(each.id), open.get(each.id)]).toEqual([
          map.size,
          map.has(each.id),
          map.get(each.id),
        ]);
      }
    }),
  );
});
