/** More runs on demand: `npm run fuzz`. */
export const fuzzRuns = (usual: number): number => Number(process.env.FUZZ_RUNS ?? usual);

// The same cases every time in `npm test`; new ones in every fuzzing, whose seed a failure names.
const fresh = process.env.FUZZ_RUNS === undefined ? 20261115 : Date.now() % 2 ** 31;
export const fuzzSeed = Number(process.env.FUZZ_SEED ?? fresh);
