export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

const codes: Record<Colour, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };

export function paint(text: string, colour: Colour | undefined, { colours }: { colours: boolean }): string {
  return !colours || colour === undefined || text === '' ? text : `\u001b[${codes[colour]}m${text}\u001b[0m`;
}
