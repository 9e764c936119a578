/** What the server counts of itself, since its start. */
export class Metrics {
  /** Streams that are open. */
  clients = 0;
  eventsSent = 0;
  /** Viewers that were told that they fell behind. */
  behind = 0;
  uploads = 0;
  recordsReported = 0;
  refused = 0;
}
