// oxlint-disable no-control-regex
/** Every terminal control sequence except colours: titles, links, cursor movements, other character sets. */
const commands =
  /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[PX^_][^\u001b]*(?:\u001b\\)?|\u001b\[[0-9;:?<=>]*[ -/]*[@-ln-~]|\u001b[ -/]+[0-~]|\u001b[0-Zc-~]/g;

export function withoutCommands(text: string): string {
  return text.replace(commands, '');
}

/** The plain text, without colours too. */
export function withoutColours(text: string): string {
  return text.includes('\u001b') ? withoutCommands(text).replace(/\u001b\[[0-9;:]*m/g, '') : text;
}
