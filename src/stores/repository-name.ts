import { withoutUser } from '../redact/without-user.ts';

/** `owner/name` from a clone address, or from a CI service's name for the repository; undefined: it is a folder, or not an address. */
export function repositoryName(address: string): string | undefined {
  const text = withoutUser(address.trim());
  const local = /^(?:file:|[./~\\]|[a-z]:[\\/])/i.test(text);
  if (text === '' || local || text.length > 2000) return undefined;
  const path =
    URL.canParse(text) && text.includes('://') ? new URL(text).pathname : text.replace(/^.*:\/\/[^/]*|^[^:]*:/, '');
  const parts = path.split('/').filter((part) => part !== '' && part !== '_git');
  const last = parts.pop()?.replace(/\.git$/, '');
  return last === undefined || last === '' || parts.length === 0 ? undefined : [...parts, last].join('/');
}
