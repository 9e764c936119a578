import { timeInWords } from '../../time/duration.ts';
import type { Context } from '../context.ts';

/** The program that starts Runwire may leave its stdin open for ever: if there is a prompt already, wait this long for a first byte. */
const patienceMs = 3000;

/** The words of the command line, then stdin when it is not a terminal; empty when there is neither. */
export async function readPrompt(
  words: string | undefined,
  context: Context,
  mayWait = words === undefined,
): Promise<string> {
  const typed = words?.trim() === '' ? undefined : words;
  if (context.stdinIsTerminal) return typed ?? '';
  const piped = await readAll(context, mayWait);
  if (piped === undefined && typed !== undefined)
    context.warn(
      `runwire: nothing came on stdin in ${timeInWords(patienceMs)}, continuing without it; add "< /dev/null" to avoid the wait`,
    );
  return [typed, piped].filter((each) => each !== undefined && each !== '').join('\n\n');
}

/** For everyone but a run, which adds what is piped into it: with words there is nothing to read. */
export async function promptOrStdin(words: string | undefined, context: Context): Promise<string> {
  return words ?? readPrompt(undefined, context);
}

/** undefined: nothing arrived, not even the end of the stream. */
async function readAll(context: Context, mayWait: boolean): Promise<string | undefined> {
  const chunks = context.stdin[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let text = '';
  let next = chunks.next();
  if (!mayWait && (await Promise.race([next.then(() => 'came'), context.sleep(patienceMs)])) !== 'came')
    return undefined;
  for (let chunk = await next; chunk.done !== true; chunk = await next) {
    text += decoder.decode(chunk.value, { stream: true });
    next = chunks.next();
  }
  return (text + decoder.decode()).trimEnd();
}
