import type Zlib from 'node:zlib';

/** Loaded when something is first compressed or decompressed, so that no run waits for it before its first line. */
export function zlib(): typeof Zlib {
  return process.getBuiltinModule('node:zlib');
}

/** How tapes are compressed. Higher levels compress no better; without a checksum a damaged text could be read as a different one. */
export function tapeParams(): Record<number, number> {
  const { constants } = zlib();
  return { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
}
