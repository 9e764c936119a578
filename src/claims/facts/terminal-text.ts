/** Colours and cursor movements, which runners print where they think that they have a terminal. */
// eslint-disable-next-line no-control-regex -- control characters are what this looks for
const sequence = /\u001B(?:\[[0-9;?]{0,32}[ -/]{0,4}[@-~]|\][^\u0007\u001B]{0,300}(?:\u0007|\u001B\\)|[@-Z\\-_])/g;

/** The text as it stands at the end: without colours, and of a line that was overwritten, what it was overwritten with. */
export function stripTerminal(text: string): string {
  const bare = text.includes('\u001B') ? text.replace(sequence, '') : text;
  if (!bare.includes('\r')) return bare;
  return bare
    .split('\n')
    .map((line) => {
      const ended = line.endsWith('\r') ? line.slice(0, -1) : line;
      return ended.slice(ended.lastIndexOf('\r') + 1);
    })
    .join('\n');
}
