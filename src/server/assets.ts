import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

export interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  etag: string;
  /** Whether its name changes with its content. */
  isFixed: boolean;
}

/** The page's files by their paths, read once: the path of a request is looked up here, never opened. */
export type Assets = ReadonlyMap<string, Asset>;

/** Empty: the page was not built. */
export function readAssets(folder: string): Assets {
  const assets = new Map<string, Asset>();
  for (const path of filesIn(folder)) {
    const type = types[extname(path)];
    if (type === undefined) continue;
    const bytes = new Uint8Array(readFileSync(join(folder, path)));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    assets.set(`/${path.split(sep).join('/')}`, { bytes, type, etag, isFixed: path.startsWith(`assets${sep}`) });
  }
  return assets;
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}
