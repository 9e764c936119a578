import { timeInWords } from '../../duration.ts';
import type { Context } from '../context.ts';

/** A program that starts us may leave its own pipe open for ever: with a prompt at hand, this is how long we wait for a first byte. */
const patienceMs = 3000;

/** The words of the command line, then stdin when it is not a terminal; empty when there is neither. */
export async function readPrompt(words: string | undefined, context: Context, mayWait = words === undefined): Promise<string> {
  const typed = words?.trim() === '' ? undefined : words;
  if (context.stdinIsTerminal) return typed ?? '';
  const piped = await readAll(context, mayWait);
  if (piped === undefined && typed !== undefined)
    context.warn(`runwire: nothing came on stdin in ${timeInWords(patienceMs)}, going on without it; "< /dev/null" saves the wait`);
  return [typed, piped].filter((each) => each !== undefined && each !== '').join('\n\n');
}

/** undefined: nothing came, not even an end. */
async function readAll(context: Context, mayWait: boolean): Promise<string | undefined> {
  const chunks = context.stdin[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let text = '';
  let next = chunks.next();
  if (!mayWait && (await Promise.race([next.then(() => 'came'), context.sleep(patienceMs)])) !== 'came') return undefined;
  for (let chunk = await next; chunk.done !== true; chunk = await next) {
    text += decoder.decode(chunk.value, { stream: true });
    next = chunks.next();
  }
  return (text + decoder.decode()).trimEnd();
}
