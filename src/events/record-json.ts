let latest: object | undefined;
let text = '';

/** A record as JSON, made once for all who are told of it one after the other: stdout, tapes, the ledger. */
export function recordJson(record: object): string {
  if (record !== latest) {
    text = JSON.stringify(record);
    latest = record;
  }
  return text;
}
