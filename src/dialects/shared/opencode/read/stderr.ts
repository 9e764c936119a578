// eslint-disable-next-line no-control-regex -- colours are what it removes
const colours = /\u001b\[[0-9;]*m/g;

export function plainText(text: string): string {
  return text.replace(colours, '').trim();
}

const requested = '! permission requested: ';
const rejected = '; auto-rejecting';

/** `! permission requested: WHAT (PATTERN); auto-rejecting`, the pattern being optional. */
export function readRejection(text: string): { what: string; pattern?: string } | undefined {
  if (!text.startsWith(requested) || !text.endsWith(rejected)) return undefined;
  const request = text.slice(requested.length, -rejected.length);
  const opening = request.endsWith(')') ? request.indexOf(' (') : -1;
  if (opening === -1) return { what: request };
  return { what: request.slice(0, opening), pattern: request.slice(opening + 2, -1) };
}
