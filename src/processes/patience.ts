/** Tests cannot wait as long as people do, or must see that no one waited: this scales every wait of ours, and is no promise to anybody else. */
const share = Number(process.env['RUNWIRE_PATIENCE'] ?? 1);

/** How long we wait for an agent that should act by itself, such as leave. */
export function patient(ms: number): number {
  return share > 0 ? ms * share : ms;
}
