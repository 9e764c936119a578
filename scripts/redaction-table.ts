// Prints which kinds of secrets reach which outputs and files of the built command: `clean` or `LEAK`. Exits with 1 on a leak.
import { sinksWithSecrets, tableOf } from '../test/support/redaction-table.ts';

const cells = tableOf(await sinksWithSecrets(true));
const sinks = [...new Set(cells.map(({ sink }) => sink))];
const shapes = Map.groupBy(cells, ({ shape }) => shape);
for (const [index, sink] of sinks.entries()) console.log(`${String(index + 1).padStart(2)}  ${sink}`);
console.log(`\n${'shape'.padEnd(30)} ${sinks.map((_, index) => String(index + 1).padEnd(5)).join(' ')}`);
for (const [shape, row] of shapes)
  console.log(`${shape.padEnd(30)} ${row.map(({ isClean }) => (isClean ? 'clean' : 'LEAK ')).join(' ')}`);
const leaks = cells.filter(({ isClean }) => !isClean).length;
console.log(`\n${shapes.size} shapes in ${sinks.length} sinks: ${leaks === 0 ? 'all clean' : `${leaks} LEAKS`}`);
process.exitCode = leaks === 0 ? 0 : 1;
