import type { Socket } from 'node:dgram';

const isAnswer = 0x8000;
const wantsRecursion = 0x0100;
const recursionAvailable = 0x0080;
const noSuchName = 3;
const headerBytes = 12;
const longestLabel = 63;
const longestName = 253;

/** Answers every question for a name with "there is no such name", and tells which it was. Nothing is asked of anybody. */
export function denyNames(socket: Socket, tell: (name: string, port: number) => void): void {
  socket.on('message', (question, { port, address }) => {
    const read = questionIn(question);
    if (read === undefined) return;
    tell(read.name, port);
    socket.send(answerTo(question, read.end), port, address, () => {});
  });
  socket.on('error', () => {});
}

/** The first question of a message; undefined: it is none. */
export function questionIn(message: Buffer): { name: string; end: number } | undefined {
  if (message.length < headerBytes || (message.readUInt16BE(2) & isAnswer) !== 0 || message.readUInt16BE(4) === 0)
    return undefined;
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = message[at]; length !== 0; length = message[at]) {
    if (length === undefined || length > longestLabel || at + 1 + length > message.length) return undefined;
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 1 + 4;
  const name = labels.join('.');
  return end > message.length || name.length > longestName ? undefined : { name, end };
}

function answerTo(question: Buffer, end: number): Buffer {
  const answer = Buffer.from(question.subarray(0, end));
  const recursion = question.readUInt16BE(2) & wantsRecursion;
  answer.writeUInt16BE(isAnswer | recursion | recursionAvailable | noSuchName, 2);
  // One question, and nothing in the other three parts.
  answer.writeUInt16BE(1, 4);
  answer.fill(0, 6, headerBytes);
  return answer;
}
