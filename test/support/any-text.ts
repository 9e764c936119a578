import fc from 'fast-check';

const [firstSurrogate, surrogates] = [0xd800, 0x800];

/** Any character of Unicode. `unit: 'binary'` is the same, but first makes a table of all of them, for a second and a hundred megabytes. */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((code) => String.fromCodePoint(code < firstSurrogate ? code : code + surrogates));

export const anyText = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit: anyCharacter, maxLength });
