import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Names } from './guard.ts';

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** As written in a URL: IPv6 in brackets. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

export interface NamesOptions {
  host: string;
  /** Known once the server listens. */
  port: () => number;
  /** The names in the certificate are names of this server. */
  certificate?: string | undefined;
  /** The address that people type, if the server is behind a reverse proxy. */
  proxyOrigin?: string | undefined;
  allowedOrigins: readonly string[];
}

export function namesOf({ host, port, certificate, proxyOrigin, allowedOrigins }: NamesOptions): Names {
  const scheme = certificate === undefined ? 'http' : 'https';
  const proxy = proxyOrigin === undefined ? undefined : new URL(proxyOrigin);
  const proven = certificate === undefined ? undefined : new X509Certificate(certificate);
  function isHost(given: string): boolean {
    if (proxy !== undefined && given === proxy.host) return true;
    const url = URL.canParse(`${scheme}://${given}`) ? new URL(`${scheme}://${given}`) : undefined;
    if (url === undefined || url.host !== given.toLowerCase() || url.pathname !== '/') return false;
    if (Number(url.port || (scheme === 'http' ? 80 : 443)) !== port()) return false;
    const name = url.hostname.replace(/^\[|\]$/g, '');
    if (isLoopback(name)) return isLoopback(host);
    return proven !== undefined && (isIP(name) === 0 ? proven.checkHost(name) : proven.checkIP(name)) !== undefined;
  }
  const isSecure = certificate !== undefined || proxy?.protocol === 'https:';
  return {
    isHost,
    isOwnOrigin(origin) {
      if (proxy !== undefined && origin === proxy.origin) return true;
      return origin.startsWith(`${scheme}://`) && isHost(origin.slice(scheme.length + 3));
    },
    allowedOrigins: new Set(allowedOrigins),
    isSecure,
    get cookieName() {
      // Such a name is a promise that browsers keep: set over HTTPS, by this host alone.
      return `${isSecure ? '__Host-' : ''}runwire-${port()}`;
    },
  };
}
