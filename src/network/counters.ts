/** How many packets had no route, of `/proc/net/snmp` (pairs of lines: names, values) and `/proc/net/snmp6` (a name and a value each). */
export function unroutedIn(text: string): number | undefined {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const names = lines.findIndex(([title, first]) => title === 'Ip:' && first !== undefined && !/^-?\d/.test(first));
  const four = names === -1 ? undefined : lines[names + 1]?.[lines[names]?.indexOf('OutNoRoutes') ?? -1];
  const six = lines.find(([name]) => name === 'Ip6OutNoRoutes')?.[1];
  if (four === undefined && six === undefined) return undefined;
  return [four, six].reduce((sum, value) => sum + (Number(value) || 0), 0);
}
