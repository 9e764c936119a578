/** Kept equal to package.json by a test; a constant so that the pure rooms need no file system. */
export const version = '0.1.0';
