/** What the first bytes of a connection say about the host that they are meant for. */
export type Greeting =
  | { kind: 'more' }
  | { kind: 'plain' }
  /** TLS; `name` is undefined where it names no host. */
  | { kind: 'tls'; name: string | undefined };

const more: Greeting = { kind: 'more' };
const plain: Greeting = { kind: 'plain' };
const handshake = 22;
const clientHello = 1;
const serverName = 0;
/** No client has a longer greeting; what claims to be longer is none. */
const longest = 16 * 1024;

/** Reads the name in the first message of TLS (RFC 8446, 4.1.2; RFC 6066, 3), which may be cut into records and packets at will. */
export function greetingIn(bytes: Buffer): Greeting {
  if (bytes.length === 0) return more;
  if (bytes[0] !== handshake) return plain;
  const message = joined(bytes);
  if (message === 'broken') return plain;
  if (message.length < 4) return more;
  if (message[0] !== clientHello) return plain;
  const length = message.readUIntBE(1, 3);
  if (length > longest) return plain;
  if (message.length < 4 + length) return more;
  try {
    return { kind: 'tls', name: nameIn(message.subarray(4, 4 + length)) };
  } catch {
    return plain;
  }
}

/** What the records hold that are whole. */
function joined(bytes: Buffer): Buffer | 'broken' {
  const parts: Buffer[] = [];
  for (let at = 0; at + 5 <= bytes.length;) {
    const length = bytes.readUInt16BE(at + 3);
    if (bytes[at] !== handshake || length === 0) return parts.length === 0 ? 'broken' : Buffer.concat(parts);
    if (at + 5 + length > bytes.length) break;
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return Buffer.concat(parts);
}

/** Throws where a length leads out of the message. */
function nameIn(hello: Buffer): string | undefined {
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  if (at === hello.length) return undefined;
  const end = at + 2 + hello.readUInt16BE(at);
  if (end > hello.length) throw new RangeError('the extensions are longer than the message');
  for (at += 2; at < end;) {
    const type = hello.readUInt16BE(at);
    const length = hello.readUInt16BE(at + 2);
    const body = hello.subarray(at + 4, at + 4 + length);
    if (at + 4 + length > end) throw new RangeError('an extension is longer than the message');
    // A list of names, of which one kind was ever defined.
    if (type === serverName && body.readUInt8(2) === 0)
      return body
        .subarray(5, 5 + body.readUInt16BE(3))
        .toString('latin1')
        .toLowerCase();
    at += 4 + length;
  }
  return undefined;
}
