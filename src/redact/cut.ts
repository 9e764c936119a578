/** How a message shows that a text goes on. */
const more = '…';

/** Only for texts that hold no secret any more; everything else is cut by `Redactor.quote`, `quoted` or `safe-cut.ts`. */
export function cutAfter(clean: string, most: number, ellipsis = more): string {
  return clean.length <= most ? clean : `${clean.slice(0, most).toWellFormed()}${ellipsis}`;
}

/** The end of such a text. */
export function cutBefore(clean: string, most: number): string {
  return clean.length <= most ? clean : `${more}${clean.slice(-most).toWellFormed()}`;
}
