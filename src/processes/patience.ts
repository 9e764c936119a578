/** Tests cannot wait as long as people do, or must check that nothing waited: this scales all our waits. There is no guarantee about it for other uses. */
const share = Number(process.env['RUNWIRE_PATIENCE'] ?? 1);

/** How long we wait for an agent that should act by itself, for example exit. */
export function patient(ms: number): number {
  return share > 0 ? ms * share : ms;
}
