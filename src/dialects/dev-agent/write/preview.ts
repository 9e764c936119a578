/** How many characters of a message, a summary or an output are shown. */
export const messagePreview = 500;
/** The same for the arguments of a call. */
export const promptPreview = 240;

/** The first characters of a text, without splitting one. */
export function shorten(text: string, limit: number): { text: string; cut: boolean } {
  if (text.length <= limit) return { text, cut: false };
  const characters = Array.from(text.slice(0, limit * 2));
  const cut = characters.length > limit || text.length > limit * 2;
  return cut ? { text: characters.slice(0, limit).join(''), cut } : { text, cut };
}
