/** An object in a quoted field of a CSV row, its quotes doubled. */
const beginning = '"{""';

/** The text of the field that holds an object; undefined: there is none. */
export function csvFieldIn(row: string): string | undefined {
  const at = row.indexOf(beginning);
  if (at === -1 || (at > 0 && !/[,;\t\s]/.test(row.charAt(at - 1)))) return undefined;
  let text = '';
  for (let from = at + 1; ;) {
    const quote = row.indexOf('"', from);
    // The field goes on in the next row if its line ended with a line feed.
    if (quote === -1) return text + row.slice(from);
    text += row.slice(from, quote);
    if (row.charAt(quote + 1) !== '"') return text;
    text += '"';
    from = quote + 2;
  }
}
