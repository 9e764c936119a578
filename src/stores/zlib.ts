import type Zlib from 'node:zlib';

/** Loaded when something is first packed or unpacked: no run waits for it before its first line. */
export function zlib(): typeof Zlib {
  return process.getBuiltinModule('node:zlib');
}

/** How tapes are packed. Higher levels pack them no better; without its checksum a damaged text could be read as another one. */
export function tapeParams(): Record<number, number> {
  const { constants } = zlib();
  return { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
}
