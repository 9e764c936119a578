/** The server's own counters, since its start. */
export class Metrics {
  eventsSent = 0;
  /** Viewers that fell behind. */
  behind = 0;
  uploads = 0;
  recordsReported = 0;
  refused = 0;
}
